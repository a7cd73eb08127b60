// The targets that a load may have. Imports nothing: both Node and k6 run this.

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/

/**
 * Returns the URL without trailing slash. Other machines are allowed only with ALLOW_REMOTE=yes.
 * @throws Error for any other target
 */
export function checkTarget(url: string, allowRemote: string | undefined): string {
  const target = url.replace(/\/$/, '')
  if (LOOPBACK.test(target) || (allowRemote === 'yes' && /^https?:\/\//.test(target))) return target
  throw new Error(`BASE_URL is ${url}; without ALLOW_REMOTE=yes only this machine is allowed.`)
}
