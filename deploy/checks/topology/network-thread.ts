import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { Network } from './network.ts'

/** A `Network` in a thread of its own, so that nothing else that this process does holds up its lines. */
export class NetworkThread {
  readonly #worker = new Worker(new URL(import.meta.url))
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #calls = 0

  constructor() {
    this.#worker.on('message', ({ call, result }: { call: number; result: unknown }) => {
      this.#waiting.get(call)?.resolve(result)
      this.#waiting.delete(call)
    })
  }

  call<Name extends 'identify' | 'open' | 'cutOff' | 'rejoin'>(
    method: Name,
    ...args: Parameters<Network[Name]>
  ): Promise<Awaited<ReturnType<Network[Name]>>> {
    this.#calls += 1
    const answer = Promise.withResolvers<unknown>()
    this.#waiting.set(this.#calls, answer)
    this.#worker.postMessage({ call: this.#calls, method, args })
    return answer.promise as Promise<Awaited<ReturnType<Network[Name]>>>
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}

if (!isMainThread) serve()

function serve(): void {
  const network = new Network()
  parentPort?.on('message', async ({ call, method, args }) => {
    const run = network[method as 'open'] as (...args: unknown[]) => unknown
    parentPort?.postMessage({ call, result: await run.apply(network, args) })
  })
}
