const SEGMENT = '[A-Za-z0-9][A-Za-z0-9._-]*'
const KEY = new RegExp(`^${SEGMENT}(/${SEGMENT})*$`)

/** Throws unless the key is a plain relative path: no segment starts with a dot, so none leads out of the store. */
export function checkKey(key: string): void {
  if (key.length > 512 || !KEY.test(key)) throw new TypeError(`not an object key: ${JSON.stringify(key.slice(0, 100))}`)
}
