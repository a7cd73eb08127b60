import { CircleAlert, CircleCheck, Play } from 'lucide-react'
import { type FormEvent, type ReactNode, useId } from 'react'
import type { PartnerEndpoint } from '../../api/admin.ts'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import { ApiError, errorMessage } from '../../lib/http.ts'
import type { Summary } from './partner-answers.ts'
import { useAdminMutation } from './use-admin-mutation.ts'

/** What a test showed. */
interface Outcome {
  answer: unknown
  milliseconds: number
}

interface EndpointTestProps {
  endpoint: PartnerEndpoint
  /** What the call does, and what to know before it. */
  description: string
  /** The inputs of the call. */
  children?: ReactNode
  /** Runs the call with the inputs by their names. */
  run: (inputs: Record<string, string>) => Promise<unknown>
  /** The answer in a few words. */
  summarise: (answer: unknown) => Summary
}

/** One endpoint of the partner with a form that calls it, and what it answered. */
export function EndpointTest({ endpoint, description, children, run, summarise }: EndpointTestProps) {
  const id = useId()
  const test = useAdminMutation({
    run: async (inputs: Record<string, string>): Promise<Outcome> => {
      const started = performance.now()
      const answer = await run(inputs)
      return { answer, milliseconds: performance.now() - started }
    },
  })

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    if (test.isPending) return
    const inputs = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()])
    test.mutate(Object.fromEntries(inputs))
  }

  return (
    <article
      aria-labelledby={id}
      className="grid gap-x-8 gap-y-4 rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-5 lg:grid-cols-2"
    >
      <form noValidate onSubmit={submit} className="grid content-start gap-4">
        <div>
          <h3 id={id} className="font-mono text-[15px] font-semibold wrap-anywhere">
            {endpoint}
          </h3>
          <p className="text-sm text-pretty text-muted">{description}</p>
        </div>
        {children && <div className="grid gap-3 sm:grid-cols-2">{children}</div>}
        <Button
          type="submit"
          aria-disabled={test.isPending}
          aria-busy={test.isPending}
          className="max-sm:w-full sm:w-fit"
        >
          <Play aria-hidden /> {test.isPending ? 'Calling\u2026' : 'Test'}
          <span className="sr-only"> {endpoint}</span>
        </Button>
      </form>
      <div className="grid min-w-0 content-start gap-2">
        <div role="status">
          {test.failure && <Failure message={describeFailure(test.failure)} />}
          {test.isSuccess && <Success {...test.data} summary={summarise(test.data.answer)} />}
        </div>
        {test.isSuccess && <Answer endpoint={endpoint} answer={test.data.answer} />}
      </div>
    </article>
  )
}

/** The server's sentence, with those about single inputs. */
function describeFailure(error: unknown): string {
  const fields = error instanceof ApiError ? Object.values(error.body?.fields ?? {}) : []
  return [...new Set([errorMessage(error), ...fields])].join(' ')
}

function Failure({ message }: { message: string }) {
  return (
    <p className="flex gap-2 rounded-md bg-danger-soft px-3 py-2.5 text-danger">
      <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">{message}</span>
    </p>
  )
}

function Success({ milliseconds, summary }: { milliseconds: number; summary: Summary }) {
  const Icon = summary.good ? CircleCheck : CircleAlert
  return (
    <p className="flex gap-2">
      <Icon aria-hidden className={cx('mt-0.5 size-5 shrink-0', summary.good ? 'text-good' : 'text-warn')} />
      <span className="min-w-0 flex-1 font-medium wrap-anywhere">{summary.text}</span>
      <span className="shrink-0 text-sm text-muted">{formatNumber(Math.round(milliseconds))} ms</span>
    </p>
  )
}

function Answer({ endpoint, answer }: { endpoint: PartnerEndpoint; answer: unknown }) {
  return (
    <section
      aria-label={`Answer of ${endpoint}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
      tabIndex={0}
      className="max-h-72 overflow-auto rounded-md bg-sunken p-3"
    >
      <pre className="font-mono text-xs">{JSON.stringify(answer, null, 2)}</pre>
    </section>
  )
}
