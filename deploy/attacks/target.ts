import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Mailbox } from '../local/runtime-file.ts'
import { type Client, type Endpoint, jsonOf, openClient, type User } from './client.ts'
import { type Owner, prepareOwner } from './owner.ts'

export interface TargetOptions {
  endpoint: Endpoint
  /** The output of the system, if the suite started it. */
  output?: string[]
  /** Its mailbox, if it has the local one. */
  mailbox?: Pick<Mailbox, 'url' | 'key'>
  short: boolean
}

/** The system under attack, and what the suite has prepared in it. */
export interface Target extends TargetOptions {
  /** In the names of all that belongs to the owner and nobody else may read. */
  marker: string
  owner: Owner
  /** No response to an honest client may take longer while somebody attacks. */
  longestMs: number
  /** Aborted when the attack that runs is stopped. */
  readonly signal: AbortSignal
  /**
   * To be called before each attack. The function stops what is left of it: its connections are closed, and its clients send
   * nothing more.
   */
  beginAttack(): () => void
  /** Each attack has addresses of its own, so that limits that one has used up do not hide what the next one finds. */
  newAddress(): string
  openClient(address?: string): Client
  /** Registers a user at a new address. */
  register(name?: string): Promise<User>
  close(): Promise<void>
}

const LONGEST_MS = 1_000
const PASSWORD = 'correct horse battery 9'

export async function openTarget(options: TargetOptions): Promise<Target> {
  const { endpoint } = options
  const marker = `kept${randomBytes(6).toString('hex')}`
  const clients: Client[] = []
  const users: User[] = []
  // Behind a proxy any address will do; without one it must be of this machine.
  const prefix = endpoint.proxied ? `198.18.${randomBytes(1)[0]}` : '127.0.66'
  const further = endpoint.proxied ? '198.19' : '127.77'
  let addresses = 0
  let { signal } = new AbortController()

  const newAddress = () => {
    addresses += 1
    return addresses < 255 ? `${prefix}.${addresses}` : `${further}.${addresses >> 8}.${addresses & 255}`
  }
  const open = (address = newAddress()) => {
    const client = openClient(endpoint, address, signal)
    clients.push(client)
    return client
  }
  async function register(name = `attack-${randomBytes(6).toString('hex')}`): Promise<User> {
    const client = open()
    const json = { username: name, password: PASSWORD, confirmPassword: PASSWORD }
    const { id } = jsonOf<{ id: number }>(await client.send('POST', '/api/register', { json }))
    const user = { id, username: name, password: PASSWORD, client }
    users.push(user)
    return user
  }
  /** Requests the deletion of all accounts; with the default setting they are gone in a week. */
  async function close(): Promise<void> {
    for (const { client: former, username, password } of users) {
      // The client itself was stopped with its attack.
      const client = openClient(endpoint, former.address)
      for (const [name, value] of former.cookies) client.cookies.set(name, value)
      await client.send('POST', '/api/login', { json: { username, password } })
      await client.send('DELETE', '/api/user', { json: { password } })
      client.close()
    }
    for (const client of clients) client.close()
  }
  function beginAttack(): () => void {
    const controller = new AbortController()
    // Each connection attack and its visitors listen to it.
    setMaxListeners(0, controller.signal)
    signal = controller.signal
    const before = clients.length
    return () => {
      controller.abort()
      for (const client of clients.splice(before)) client.close()
    }
  }
  const owner = await prepareOwner(marker, await register(`owner-${marker}`))
  return {
    ...options,
    marker,
    owner,
    longestMs: LONGEST_MS,
    get signal() {
      return signal
    },
    beginAttack,
    newAddress,
    openClient: open,
    register,
    close,
  }
}
