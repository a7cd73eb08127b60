// Where a load may go. Imports nothing: Node and k6 both run this.

const loopback = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/

/**
 * The address without a slash at its end. Another machine's only when the operator says so by ALLOW_REMOTE=yes.
 * @throws Error when the load must not go there
 */
export function loadTarget(url: string, allowRemote: string | undefined): string {
  const target = url.replace(/\/$/, '')
  if (loopback.test(target) || (allowRemote === 'yes' && /^https?:\/\//.test(target))) return target
  throw new Error(`BASE_URL is ${url}; without ALLOW_REMOTE=yes the load goes to this machine only.`)
}
