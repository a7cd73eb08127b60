import { type App, ErrorBody, type UploadLimits, uploadFormats } from '@skyfolio/kit'
import { Type } from 'typebox'

const Integer = Type.Integer()

const PublicConfig = Type.Object({
  limits: Type.Object({
    filesPerUpload: Integer,
    fileBytes: Integer,
    largeFileBytes: Type.Integer({ description: 'Of the formats that may be larger' }),
    metadataFileBytes: Type.Integer({ description: 'Of what the metadata screen takes' }),
    minWidth: Integer,
    minHeight: Integer,
    maxPixels: Integer,
  }),
  formats: Type.Array(
    Type.Object({
      name: Type.String({ description: 'As people call it' }),
      mediaType: Type.String(),
      extensions: Type.Array(Type.String(), { description: 'With their dot' }),
      maxBytes: Integer,
    }),
    { description: 'What an upload may have' },
  ),
})

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
      return { limits, formats: uploadFormats(limits) }
    },
  )
}
