import type { Browser, Page } from 'playwright-core'

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  ts: number
  /** Wall-clock microseconds. */
  dur?: number
  /** CPU microseconds. */
  tdur?: number
  args: { name?: string; data?: { type?: string } }
}

/**
 * Returns the longest task of the page's thread while `work` runs, in CPU milliseconds, which do not depend on the load
 * of the machine. The task in which the browser delivers chosen files counts only with the page's `change` listeners.
 * Major garbage collections are left out: the time of one depends on the threads that help it, on what the page did
 * before, and on when the browser decides to collect.
 */
export async function longestTask(browser: Browser, page: Page, work: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] })
  await work()
  const trace: { traceEvents: TraceEvent[] } = JSON.parse((await browser.stopTracing()).toString())
  const events = trace.traceEvents
  const main = new Set(
    events.filter(({ args }) => args.name === 'CrRendererMain').map(({ pid, tid }) => `${pid}:${tid}`),
  )
  const onPage = events.filter(({ ph, pid, tid }) => ph === 'X' && main.has(`${pid}:${tid}`))
  const choices = onPage.filter(({ name, args }) => name === 'EventDispatch' && args.data?.type === 'change')
  const tasks = onPage
    .filter(({ name }) => name.endsWith('RunTask'))
    .filter((task) => !choices.some((one) => holds(task, one)))
  if (tasks.length === 0) throw new Error('The trace has no tasks')
  const collections = onPage.filter(({ name }) => name === 'MajorGC')
  const collecting = (task: TraceEvent) =>
    collections.filter((one) => holds(task, one)).reduce((sum, { tdur = 0 }) => sum + tdur, 0)
  return Math.max(...[...choices, ...tasks].map((task) => ((task.tdur ?? 0) - collecting(task)) / 1000))
}

function holds(task: TraceEvent, event: TraceEvent): boolean {
  return task.pid === event.pid && task.tid === event.tid && task.ts <= event.ts && event.ts < task.ts + (task.dur ?? 0)
}
