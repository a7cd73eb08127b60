import { createServer } from 'node:net'

/** Whether this port of 127.0.0.1 can be listened on. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const free = await new Promise((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!free) return false
  await new Promise((resolve) => server.close(resolve))
  return true
}
