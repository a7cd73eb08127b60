export interface Account {
  username: string
  password: string
  firstName?: string
  lastName?: string
  email?: string
}

/** Calls the API as a user who is signed in. */
export interface SignedInClient {
  /** The value of the header `cookie`. */
  cookie: string
  /** Sends JSON or a form. Returns the response's JSON, if it has a body. @throws Error with the response unless it is a success */
  call(method: string, path: string, body?: object): Promise<unknown>
}

/** Registers the account, or signs in if it exists. */
export async function openSignedInClient(origin: string, account: Account): Promise<SignedInClient> {
  let cookie = ''
  const send = (method: string, path: string, body?: object) => {
    const headers: Record<string, string> = { cookie, origin }
    if (body && !(body instanceof FormData)) headers['content-type'] = 'application/json'
    const payload = body instanceof FormData || !body ? body : JSON.stringify(body)
    return fetch(origin + path, { method, headers, ...(payload ? { body: payload as BodyInit } : {}) })
  }
  const { username, password } = account
  let response = await send('POST', '/api/register', { ...account, confirmPassword: password })
  if (response.status === 409) response = await send('POST', '/api/login', { username, password })
  if (!response.ok) throw new Error(`The account ${username} could not be opened: ${await response.text()}`)
  cookie = response.headers
    .getSetCookie()
    .map((value) => value.split(';')[0])
    .join('; ')
  const call = async (method: string, path: string, body?: object) => {
    const response = await send(method, path, body)
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`)
    return text ? JSON.parse(text) : undefined
  }
  return { cookie, call }
}
