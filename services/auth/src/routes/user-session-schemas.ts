import { errorResponses } from '@skyfolio/kit'
import { Type } from 'typebox'
import { deviceName } from '../sessions/device.ts'
import type { RunningSession } from '../sessions/sessions.ts'

const SessionBody = Type.Object({
  id: Type.String(),
  device: Type.String({ description: "Such as 'Chrome on Windows', as the browser named itself when it signed in" }),
  createdAt: Type.String({ format: 'date-time' }),
  lastUsedAt: Type.String({ format: 'date-time' }),
  current: Type.Boolean({ description: 'The session of this request' }),
})

export function sessionBody(session: RunningSession, currentHash: string): Type.Static<typeof SessionBody> {
  return {
    id: session.id,
    device: deviceName(session.userAgent),
    createdAt: session.createdAt,
    lastUsedAt: session.lastUsedAt.toISOString(),
    current: session.hash === currentHash,
  }
}

const SessionParams = Type.Object({ id: Type.String() })
const noContent = { 204: Type.Null(), ...errorResponses }

export const LIST_SESSIONS = {
  summary: "Returns the user's sessions, the one used last first",
  response: { 200: Type.Array(SessionBody), ...errorResponses },
}
export const END_SESSION = { summary: "Ends one of the user's sessions", params: SessionParams, response: noContent }
export const END_OTHER_SESSIONS = { summary: "Ends the user's other sessions", response: noContent }
