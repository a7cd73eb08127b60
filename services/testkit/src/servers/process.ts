import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { chmod, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

/** A server that runs as a private process on 127.0.0.1. */
export interface RunningServer {
  url: string
  pid: number
  /** Resolves when it has ended, with the reason in words. */
  exited: Promise<string>
  /** Stops it gracefully, and by force after 20 seconds. */
  stop(): Promise<void>
  /** Kills it, as a power cut would. */
  kill(): Promise<void>
}

export interface StartOptions {
  /** Where the server keeps its data; made when missing. Its log is written beside it, as `<dataDir>.log`. */
  dataDir: string
  /** Default: a free one. */
  port?: number
  /** False trades durability in a power cut for speed: only for tests. Default: true. */
  durable?: boolean
  /** Further lines of the configuration, in the server's own language: for NATS and Redis. */
  config?: string[]
  /** What clients must know, for NATS and Redis; it is in the URL. Default: anybody on the machine is a client. */
  password?: string
}

/** A real server of a test's own, which a test of failures may stop, start again and kill. */
export interface TestServer {
  url: string
  /** Stops it gracefully. */
  stop(): Promise<void>
  /** Starts it again: same port, same data. */
  start(): Promise<void>
  /** Kills it, as a power cut would. */
  kill(): Promise<void>
}

export interface TestServerOptions {
  /** True for benchmarks and for tests that kill the server: what it acknowledged is then on the disk. Default: false. */
  durable?: boolean
  /** Further lines of the configuration of NATS or Redis. */
  config?: string[]
}

export interface ProcessSpec {
  name: string
  command: string
  args: string[]
  url: string
  logFile: string
  stopSignal: 'INT' | 'TERM'
  env?: Record<string, string>
  user?: { uid: number; gid: number } | undefined
  /** Throws until the server responds. */
  ready: () => Promise<unknown>
}

// The server must not outlive the process that started it, even when that was killed: this shell stops it when its
// standard input closes.
const KEEPER = `
exec 4<&0 </dev/null
"$@" 3>&- 4<&- &
child=$!
echo $child >&3
exec 3>&-
( read -r _ <&4; kill -s "$STOP_SIGNAL" $child; sleep 10; kill -9 $child ) >/dev/null 2>&1 &
keeper=$!
wait $child
code=$?
kill $keeper
exit $code`

const READY_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 20_000

/** Starts the process and resolves when it responds; throws with the end of its log when it exits before. */
export async function startProcess(spec: ProcessSpec): Promise<RunningServer> {
  const log = await open(spec.logFile, 'w', 0o600)
  const keeper = spawn('sh', ['-c', KEEPER, spec.name, spec.command, ...spec.args], {
    stdio: ['pipe', log.fd, log.fd, 'pipe'],
    env: { ...process.env, ...spec.env, STOP_SIGNAL: spec.stopSignal },
    // Ctrl-C must reach only the starter, which ends its servers in order.
    detached: true,
    ...spec.user,
  })
  const exited = new Promise<string>((resolve) => {
    keeper.once('error', (error) => resolve(error.message))
    keeper.once('exit', (code, signal) => resolve(describeExit(code, signal)))
  })
  keeper.stdin?.on('error', () => {})
  void exited.then(() => keeper.stdin?.destroy())
  await log.close()

  const pid = await firstLine(keeper.stdio[3] as NodeJS.ReadableStream)
  const end = async (signal: NodeJS.Signals) => {
    sendSignal(pid, signal)
    const force = setTimeout(() => sendSignal(pid, 'SIGKILL'), STOP_WITHIN_MS)
    await exited
    clearTimeout(force)
  }
  const server = {
    url: spec.url,
    pid,
    exited,
    stop: () => end(`SIG${spec.stopSignal}`),
    kill: async () => {
      // It starts no further children.
      sendSignal(pid, 'SIGSTOP')
      const children = await childrenOf(pid)
      const ended = end('SIGKILL')
      // PostgreSQL's outlive it, and may commit, until they see that it is gone.
      for (const child of children) sendSignal(child, 'SIGKILL')
      await ended
      // PostgreSQL does not start while one of them holds its shared memory.
      const deadline = Date.now() + STOP_WITHIN_MS
      while (Date.now() < deadline && (await Promise.all(children.map(isRunning))).includes(true)) await delay(5)
    },
  }
  await untilReady(spec, server)
  return server
}

async function untilReady(spec: ProcessSpec, server: RunningServer): Promise<void> {
  let ended: string | undefined
  void server.exited.then((reason) => {
    ended = reason
  })
  let trouble: unknown
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline && ended === undefined; await delay(20)) {
    try {
      await spec.ready()
      return
    } catch (error) {
      trouble = error
    }
  }
  await server.kill()
  const log = await readFile(spec.logFile, 'utf8').catch(() => '')
  const why = ended ? `it ended (${ended})` : `it does not respond: ${trouble}`
  throw new Error(`${spec.name} did not start: ${why}\n${log.split('\n').slice(-20).join('\n')}`)
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: stream })) return Number(line)
  return 0
}

/** Linux only; empty elsewhere. */
async function childrenOf(pid: number): Promise<number[]> {
  const pids = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return pids.split(' ').filter(Boolean).map(Number)
}

/** Linux only; false elsewhere, and for a process that has ended and was not waited for. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The state follows the name, which may contain anything.
  return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  if (pid === 0) return
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal) return `signal ${signal}`
  return code !== null && code > 128 ? `signal ${code - 128}` : `exit code ${code}`
}

// Below every system's range of ephemeral ports, which any outgoing connection may take, and below the node ports of Kubernetes;
// above 10080, the last port that fetch and browsers refuse ("bad port" of the Fetch standard).
const PORTS = { first: 10_081, last: 29_999 }

/**
 * A free port of 127.0.0.1. No other caller gets it while this process lives, not even while the server behind it is
 * stopped: the UDP port of the same number is held as its reservation.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.last + 1)
    if ((await reserve(port)) && (await isFree(port))) return port
  }
}

/** Resolves false if somebody else holds the port. */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  const bound = await new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false))
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })
  if (bound) socket.unref()
  else socket.close()
  return bound
}

/** Whether nothing listens on the port of 127.0.0.1. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })
  if (free) await new Promise((resolve) => server.close(resolve))
  return free
}

/** Makes the folder, which only its owner can open, also when it is there already. */
export async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true })
  await chmod(path, 0o700)
}

/** Writes a file that only its owner can read, in place of an earlier one. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await rm(path, { force: true })
  await writeFile(path, text, { mode: 0o600, flag: 'wx' })
}
