import { useQuery, useQueryClient } from '@tanstack/react-query'
import { FlaskConical, TriangleAlert } from 'lucide-react'
import { useId } from 'react'
import { environmentQuery, setEnvironment } from '../../api/admin.ts'
import type { PrintEnvironment } from '../../api/types.ts'
import { ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { Switch } from '../../components/ui/switch.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { cx } from '../../lib/cx.ts'
import { errorMessage } from '../../lib/http.ts'
import { ENVIRONMENT_NOTES, updateFailureText } from './environment-texts.ts'
import { useAdminMutation } from './use-admin-mutation.ts'

/** Chooses between the partner's sandbox and production. */
export function EnvironmentTab() {
  const { data, error, refetch } = useQuery(environmentQuery)
  if (data) return <Environment environment={data.environment} baseUrl={data.baseUrl} />
  if (!error) return <EnvironmentSkeleton />
  const retry = () => void refetch()
  return <ErrorState title="The environment could not be loaded" description={errorMessage(error)} onRetry={retry} />
}

function Environment({ environment, baseUrl }: { environment: PrintEnvironment; baseUrl: string | null }) {
  const id = useId()
  const change = useSetEnvironment()
  const shown = change.isPending ? change.variables : environment
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
        <span className={cx('font-semibold', shown === 'production' && 'text-muted')}>Sandbox</span>
        <Switch
          checked={shown === 'production'}
          onCheckedChange={(production) => change.mutate(production ? 'production' : 'sandbox')}
          aria-labelledby={`${id}-production`}
          aria-describedby={`${id}-note`}
          aria-disabled={change.isPending}
        />
        <span id={`${id}-production`} className={cx('font-semibold', shown === 'sandbox' && 'text-muted')}>
          Production
        </span>
      </div>
      <div id={`${id}-note`}>
        <Note environment={shown} />
      </div>
      <dl>
        <dt className="text-sm text-muted">Base URL</dt>
        <dd className="font-mono text-sm wrap-anywhere">{change.isPending ? '…' : baseUrl || 'Not configured'}</dd>
      </dl>
    </section>
  )
}

function Note({ environment }: { environment: PrintEnvironment }) {
  const { title, text } = ENVIRONMENT_NOTES[environment]
  const production = environment === 'production'
  const Icon = production ? TriangleAlert : FlaskConical
  return (
    <p
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
  )
}

function useSetEnvironment() {
  const client = useQueryClient()
  const change = useAdminMutation({
    run: (environment: PrintEnvironment) => setEnvironment(client, environment),
    onSuccess: (_, environment) =>
      toast({ title: 'Environment Updated', description: `New orders go to ${environment}.` }),
    onError: (error, environment) => {
      client.invalidateQueries({ queryKey: environmentQuery.queryKey })
      toast({
        title: 'Update Failed',
        description: updateFailureText(error),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => change.mutate(environment) },
      })
    },
  })
  return change
}

function EnvironmentSkeleton() {
  return (
    <div role="status" className="grid max-w-2xl gap-5 rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-6">
      <span className="sr-only">Loading the environment</span>
      <Skeleton className="h-5 w-56" />
      <Skeleton className="h-7 w-60 rounded-full" />
      <Skeleton className="h-20 rounded-md" />
      <Skeleton className="h-5 w-72 max-w-full" />
    </div>
  )
}
