import { join } from 'node:path'
import { type RunningServer, startProcess } from '@skyfolio/testkit/servers'
import { ProcessSupervisor } from '../../local/supervisor.ts'
import { processTree, signalAll } from '../faults/inject.ts'
import type { NetworkThread } from './network-thread.ts'

/** A program of a node. */
export interface Program {
  name: string
  command: string
  args: string[]
  env?: Record<string, string> | undefined
  user?: { uid: number; gid: number } | undefined
  /** Throws until it responds. */
  ready(): Promise<unknown>
}

/** One server of a topology with all its programs, which a supervisor starts again whenever they end. */
export class StoreNode {
  readonly name: string
  readonly #folder: string
  readonly #furtherPids: () => Promise<number[]>
  readonly #supervisors: ProcessSupervisor[]
  readonly #running = new Map<string, RunningServer>()
  #starts = 0
  /** Nothing starts before it resolves. */
  #mayStart = Promise.withResolvers<void>()

  /** `furtherPids` are processes that outlive the program that started them. */
  constructor(name: string, folder: string, programs: Program[], furtherPids = async (): Promise<number[]> => []) {
    this.name = name
    this.#folder = folder
    this.#furtherPids = furtherPids
    this.#supervisors = programs.map(
      (program) =>
        new ProcessSupervisor(
          `${name} ${program.name}`,
          () => this.#run(program),
          () => {},
        ),
    )
    this.#mayStart.resolve()
  }

  async start(): Promise<void> {
    for (const supervisor of this.#supervisors) await supervisor.start()
  }

  async stop(): Promise<void> {
    await this.resume()
    this.letStart()
    for (const supervisor of this.#supervisors.toReversed()) await supervisor.stop()
  }

  /** Kills everything, as a power cut would; it stays away until `letStart`. */
  async kill(): Promise<void> {
    this.#mayStart = Promise.withResolvers()
    await this.freeze()
    signalAll(await this.pids(), 'SIGKILL')
  }

  letStart(): void {
    this.#mayStart.resolve()
  }

  async freeze(): Promise<void> {
    signalAll(await this.pids(), 'SIGSTOP')
    // Those that were started meanwhile.
    signalAll(await this.pids(), 'SIGSTOP')
  }

  async resume(): Promise<void> {
    signalAll(await this.pids(), 'SIGCONT')
  }

  /** Ends the programs in order; the supervisors start them again. */
  async restart(): Promise<void> {
    for (const running of [...this.#running.values()].toReversed()) await running.stop()
  }

  async #run({ name, ...program }: Program): Promise<RunningServer> {
    await this.#mayStart.promise
    this.#starts += 1
    const running = await startProcess({
      ...program,
      name: `${this.name} ${name}`,
      url: '',
      logFile: join(this.#folder, `${this.name}-${name}-${this.#starts}.log`),
      stopSignal: 'TERM',
      env: program.env ?? {},
    })
    this.#running.set(name, running)
    void running.exited.then(() => {
      if (this.#running.get(name) === running) this.#running.delete(name)
    })
    return running
  }

  /** Its processes and their children. */
  async pids(): Promise<number[]> {
    const own = [...this.#running.values()].map(({ pid }) => pid)
    return processTree([...own, ...(await this.#furtherPids())])
  }
}

/** A kind of store: what an operator sees of it. */
export interface Store {
  nodes: StoreNode[]
  /** Whether every node is there and has everything. */
  isWhole(): Promise<boolean>
}

export interface LedStore extends Store {
  /** The node that takes the writes; null while there is none. */
  leader(): Promise<StoreNode | null>
}

/** What a store is started with. */
export interface StoreContext {
  folder: string
  network: NetworkThread
  /** Of every store but the objects'. */
  password: string
  clockEnv(node: string): Record<string, string> | undefined
  /** Starts the node; the end of the run stops it. */
  add(node: StoreNode): Promise<void>
}
