export interface Account {
  username: string
  password: string
  firstName?: string
  lastName?: string
}

/** A signed-in user, as scripts use the system. */
export interface Session {
  /** The value of the header `cookie`. */
  cookie: string
  /** Sends JSON or a form and gives what was answered. @throws Error with the answer that is no success */
  call(method: string, path: string, body?: object): Promise<unknown>
}

/** Registers the account, or signs in to it when it is there. */
export async function openSession(origin: string, account: Account): Promise<Session> {
  let cookie = ''
  const send = (method: string, path: string, body?: object) => {
    const headers: Record<string, string> = { cookie, origin }
    if (body && !(body instanceof FormData)) headers['content-type'] = 'application/json'
    const payload = body instanceof FormData || !body ? body : JSON.stringify(body)
    return fetch(origin + path, { method, headers, ...(payload ? { body: payload as BodyInit } : {}) })
  }
  const { username, password } = account
  let answer = await send('POST', '/api/register', { ...account, confirmPassword: password })
  if (answer.status === 409) answer = await send('POST', '/api/login', { username, password })
  if (!answer.ok) throw new Error(`The account ${username} could not be opened: ${await answer.text()}`)
  cookie = answer.headers
    .getSetCookie()
    .map((value) => value.split(';')[0])
    .join('; ')
  const call = async (method: string, path: string, body?: object) => {
    const response = await send(method, path, body)
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
    return response.json()
  }
  return { cookie, call }
}
