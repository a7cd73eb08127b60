import { type App, errorResponses, invalidFields, Nullable, oneLine, requireUser, siteOf } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { FoldersDeps } from '../deps.ts'
import type { CountedLink, LinkFields } from '../links/links.ts'
import { DOWNLOADS, LINK_KINDS } from '../sharing/opened-link.ts'
import { DateTime, Id, IdParams, MomentField } from './schemas.ts'

const Kind = Type.Enum([...LINK_KINDS], { description: 'Which page it opens: /share, /viewer or /browse' })
const DownloadsField = Type.Enum([...DOWNLOADS], { description: 'The largest files that visitors may download' })

const LinkBody = Type.Object({
  id: Type.Integer(),
  code: Type.String(),
  name: Type.String(),
  kind: Kind,
  main: Type.Boolean({ description: 'Its code is the share code of the folder; it opens the pages of all kinds' }),
  expiresAt: Nullable(DateTime),
  hasPassword: Type.Boolean(),
  showPlaces: Type.Boolean(),
  showCamera: Type.Boolean(),
  showMap: Type.Boolean(),
  downloads: DownloadsField,
  votingUntil: Nullable(DateTime),
  embedOrigins: Type.Array(Type.String(), { description: 'The sites that may show /embed/{code} in a frame' }),
  openedToday: Type.Integer({ description: 'Since midnight (UTC)' }),
  opened: Type.Integer(),
  createdAt: DateTime,
})

const ORIGIN = 'Enter each website as https://example.com, without a path, a wildcard or anything else.'
const NAME = 'Give the link a name, for yourself.'
const PASSWORD = 'The password must have 6 to 200 characters.'
const Name = Type.String({ maxLength: 1000, pattern: '^[^\\u0000]*$', 'x-message': { required: NAME, type: NAME } })
const optionalFields = {
  expiresAt: Type.Optional(MomentField),
  password: Type.Optional(
    Nullable(
      Type.String({
        minLength: 6,
        maxLength: 200,
        'x-message': { minLength: PASSWORD, maxLength: PASSWORD },
        description: 'Null: the link has none; absent: it stays',
      }),
    ),
  ),
  showPlaces: Type.Optional(Type.Boolean()),
  showCamera: Type.Optional(Type.Boolean()),
  showMap: Type.Optional(Type.Boolean()),
  downloads: Type.Optional(DownloadsField),
  votingUntil: Type.Optional(MomentField),
  embedOrigins: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 10,
      'x-message': { maxItems: 'At most 10 websites may embed it.' },
      description: 'The sites that may embed a voting link without a password, each https://host or https://host:port',
    }),
  ),
}
const ChangedFields = Type.Object({ name: Type.Optional(Name), kind: Type.Optional(Kind), ...optionalFields })

const LinkParams = Type.Object({ ...IdParams.properties, linkId: Id })
const LIST_LINKS = {
  summary: 'Lists the links of a folder, the main one first',
  params: IdParams,
  response: { 200: Type.Array(LinkBody), ...errorResponses },
}
const CREATE_LINK = {
  summary: 'Creates a further link of a folder, up to 50',
  params: IdParams,
  body: Type.Object({ name: Name, kind: Kind, ...optionalFields }),
  response: { 201: LinkBody, ...errorResponses },
}
const UPDATE_LINK = {
  summary: 'Changes a link; absent fields stay unchanged',
  params: LinkParams,
  body: ChangedFields,
  response: { 200: LinkBody, ...errorResponses },
}
const DELETE_LINK = {
  summary: 'Withdraws a link other than the main one',
  params: LinkParams,
  response: { 204: Type.Null(), ...errorResponses },
}

const config = { access: 'user' } as const
const PATH = '/api/folders/:id/links'

/** The links of a user's own folders. */
export function linkRoutes(app: App, { links }: FoldersDeps): void {
  app.get(PATH, { config, schema: LIST_LINKS }, async (request) =>
    (await links.list(request.params.id, requireUser(request).userId)).map(linkBody),
  )
  app.post(PATH, { config, schema: CREATE_LINK }, async (request, reply) => {
    const { userId } = requireUser(request)
    const { name, kind } = request.body
    const fields = { ...fieldsOf(request.body), name: nameOf(name), kind }
    reply.code(201)
    return linkBody(await links.create(request.params.id, userId, fields, applicant(request)))
  })
  app.patch(`${PATH}/:linkId`, { config, schema: UPDATE_LINK }, async (request) => {
    const { userId } = requireUser(request)
    const { id, linkId } = request.params
    return linkBody(await links.update(id, linkId, userId, fieldsOf(request.body), applicant(request)))
  })
  app.delete(`${PATH}/:linkId`, { config, schema: DELETE_LINK }, async (request, reply) => {
    const { id, linkId } = request.params
    await links.remove(id, linkId, requireUser(request).userId)
    reply.code(204)
    return null
  })
}

function linkBody(link: CountedLink): Static<typeof LinkBody> {
  const { expiresAt, votingUntil, createdAt, passwordHash } = link
  return {
    ...(link as CountedLink & Pick<Static<typeof LinkBody>, 'kind' | 'downloads'>),
    expiresAt: expiresAt?.toISOString() ?? null,
    votingUntil: votingUntil?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    hasPassword: passwordHash !== null,
  }
}

/** Without whatever else the body has: a link has columns that no owner sets. */
function fieldsOf(body: Static<typeof ChangedFields>): LinkFields {
  const known = Object.entries(body).filter(([key]) => Object.hasOwn(ChangedFields.properties, key))
  const { name, expiresAt, votingUntil, embedOrigins, ...fields } = Object.fromEntries(known) as typeof body
  return {
    ...fields,
    ...(name !== undefined && { name: nameOf(name) }),
    ...(expiresAt !== undefined && { expiresAt: timeOf(expiresAt) }),
    ...(votingUntil !== undefined && { votingUntil: timeOf(votingUntil) }),
    ...(embedOrigins !== undefined && { embedOrigins: originsOf(embedOrigins) }),
  }
}

/** In code points, like the CHECK in the database. */
const MAX_NAME_LENGTH = 120

function nameOf(text: string): string {
  const name = oneLine(text)
  if (name === '') throw invalidFields({ name: NAME })
  if ([...name].length > MAX_NAME_LENGTH) {
    throw invalidFields({ name: `The name must have at most ${MAX_NAME_LENGTH} characters.` })
  }
  return name
}

function timeOf(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}

/** What a policy of frames may name: `URL` also takes hosts with `*`, `;` or quotes. */
const ORIGIN_PATTERN = /^https:\/\/(?=.{1,260}$)[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$/

/** Each once, in the form in which browsers write them. */
function originsOf(texts: string[]): string[] {
  const urls = texts.map((text) => URL.parse(text))
  const origins = urls.map((url) => (url?.href === `${url?.origin}/` ? url.origin : ''))
  if (!origins.every((origin) => ORIGIN_PATTERN.test(origin))) throw invalidFields({ embedOrigins: ORIGIN })
  return [...new Set(origins)]
}

function applicant({ identity }: FastifyRequest) {
  return { site: siteOf(identity.address), isStranger: false }
}
