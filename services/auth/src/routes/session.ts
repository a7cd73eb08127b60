import { type App, errorResponses, expiredSessionCookie, type Identity, sessionCookie } from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Accounts } from '../accounts/accounts.ts'
import { readCredentials, readRegistration } from '../accounts/forms.ts'
import type { User } from '../generated/client.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { LoginHeaders, LoginRequest, RegisterRequest, UserBody, userBody } from './schemas.ts'

/** Register, login and logout: the routes that begin and end sessions. */
export function sessionRoutes(app: App, accounts: Accounts, sessions: Sessions, secureCookies: boolean): void {
  /** A new session for every sign-in; the one that was presented ends, so that nobody can plant one. */
  async function begin(reply: FastifyReply, presented: Identity, user: User, persistent: boolean): Promise<void> {
    const token = await sessions.begin(user, persistent)
    await end(presented)
    reply.header('set-cookie', sessionCookie(token, { persistent, secure: secureCookies }))
  }

  async function end(identity: Identity): Promise<void> {
    if (identity.userId === null || identity.sessionHash === null) return
    await sessions.end(identity.userId, identity.sessionHash)
  }

  app.post(
    '/api/register',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Register and sign in',
        body: RegisterRequest,
        response: { 201: UserBody, ...errorResponses },
      },
    },
    async (request, reply) => {
      const user = await accounts.register(readRegistration(request.body), request.identity.address)
      await begin(reply, request.identity, user, true)
      return reply.code(201).send(userBody(user))
    },
  )

  app.post(
    '/api/login',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Sign in',
        headers: LoginHeaders,
        body: LoginRequest,
        response: { 200: UserBody, ...errorResponses },
      },
    },
    async (request, reply) => {
      const { username, password } = readCredentials(request.body)
      const user = await accounts.signIn(username, password, request.identity.address)
      await begin(reply, request.identity, user, request.headers['x-remember-me'] !== 'false')
      return userBody(user)
    },
  )

  app.post(
    '/api/logout',
    {
      config: { access: 'public' },
      schema: { summary: 'Sign out', response: { 200: Type.Object({}), ...errorResponses } },
    },
    async (request, reply) => {
      await end(request.identity)
      reply.header('set-cookie', expiredSessionCookie({ secure: secureCookies }))
      return {}
    },
  )
}
