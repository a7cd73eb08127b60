import { type App, ErrorBody } from '@skyfolio/kit'
import { Type } from 'typebox'

const Integer = Type.Integer()

const PublicConfig = Type.Object({
  limits: Type.Object({
    filesPerUpload: Integer,
    fileBytes: Integer,
    minWidth: Integer,
    minHeight: Integer,
    maxPixels: Integer,
  }),
  formats: Type.Array(Type.String(), { description: 'Media types that an upload may have' }),
})

export type UploadLimits = Type.Static<typeof PublicConfig>['limits']

/** What the pages show of the configuration. */
export function configRoute(app: App, limits: UploadLimits): void {
  app.get(
    '/api/config',
    {
      config: { access: 'public', visitors: true },
      schema: { summary: 'Limits that the pages show', response: { 200: PublicConfig, '4xx': ErrorBody } },
    },
    (_request, reply) => {
      reply.header('cache-control', 'no-cache')
      return { limits, formats: ['image/jpeg'] }
    },
  )
}
