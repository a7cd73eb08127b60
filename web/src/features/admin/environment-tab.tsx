import { useQuery, useQueryClient } from '@tanstack/react-query'
import { FlaskConical, TriangleAlert } from 'lucide-react'
import { useId } from 'react'
import { environmentQuery, setEnvironment } from '../../api/admin.ts'
import type { PartnerEnvironment, PrintEnvironment } from '../../api/types.ts'
import { Skeleton } from '../../components/ui/loading.tsx'
import { Switch } from '../../components/ui/switch.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { cx } from '../../lib/cx.ts'
import { ApiError } from '../../lib/http.ts'
import { Loaded, useAdminMutation } from './admin-parts.tsx'

export const ENVIRONMENT_NOTES: Record<PrintEnvironment, { title: string; text: string }> = {
  sandbox: {
    title: 'Sandbox: nothing is printed',
    text: 'API calls may return error code 112 (API_NOT_ACTIVATED). This is expected in sandbox.',
  },
  production: {
    title: 'Production: real orders',
    text: 'Real orders and payments are processed. Prints are made and wait at the store.',
  },
}

export function EnvironmentTab() {
  return (
    <Loaded
      query={useQuery(environmentQuery)}
      what="environment"
      skeleton={
        <div className="grid max-w-2xl gap-5 rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-6">
          <Skeleton className="h-5 w-56" />
          <Skeleton className="h-7 w-60 rounded-full" />
          <Skeleton className="h-20 rounded-md" />
          <Skeleton className="h-5 w-72 max-w-full" />
        </div>
      }
    >
      {(chosen) => <Environment {...chosen} />}
    </Loaded>
  )
}

function Environment({ environment, baseUrl }: PartnerEnvironment) {
  const id = useId()
  const client = useQueryClient()
  const change = useAdminMutation({
    run: (next: PrintEnvironment) => setEnvironment(client, next),
    onSuccess: (_, next) => toast({ title: 'Environment Updated', description: `New orders go to ${next}.` }),
    onError: (error, next) => {
      client.invalidateQueries({ queryKey: environmentQuery.queryKey })
      toast({
        title: 'Update Failed',
        description: updateFailureText(error),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => change.mutate(next) },
      })
    },
  })
  const shown = change.isPending ? change.variables : environment
  const production = shown === 'production'
  const Icon = production ? TriangleAlert : FlaskConical
  const { title, text } = ENVIRONMENT_NOTES[shown]
  return (
    <section
      aria-labelledby={`${id}-title`}
      className="grid max-w-2xl gap-5 rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-6"
    >
      <div>
        <h2 id={`${id}-title`} className="text-lg font-semibold">
          Walgreens API environment
        </h2>
        <p className="text-pretty text-muted">
          New orders go to this environment. Orders that were placed before stay where they are.
        </p>
      </div>
      <div className="flex items-center gap-3">
        <span className={cx('font-semibold', production && 'text-muted')}>Sandbox</span>
        <Switch
          checked={production}
          onCheckedChange={(checked) => change.mutate(checked ? 'production' : 'sandbox')}
          aria-labelledby={`${id}-production`}
          aria-describedby={`${id}-note`}
          aria-disabled={change.isPending}
        />
        <span id={`${id}-production`} className={cx('font-semibold', !production && 'text-muted')}>
          Production
        </span>
      </div>
      <p
        id={`${id}-note`}
        className={cx(
          'flex gap-3 rounded-md px-4 py-3',
          production ? 'bg-danger-soft text-danger' : 'bg-accent-soft text-accent',
        )}
      >
        <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />
        <span>
          <span className="block font-semibold">{title}</span>
          <span className="block text-pretty text-text">{text}</span>
        </span>
      </p>
      <dl>
        <dt className="text-sm text-muted">Base URL</dt>
        <dd className="font-mono text-sm wrap-anywhere">{change.isPending ? '…' : baseUrl || 'Not configured'}</dd>
      </dl>
    </section>
  )
}

/** 'Failed to update environment', with the server's reason. */
export function updateFailureText(error: unknown): string {
  const reason = error instanceof ApiError ? error.body?.message : undefined
  return reason ? `Failed to update environment. ${reason}` : 'Failed to update environment'
}
