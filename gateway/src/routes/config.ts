import { type App, ErrorBody } from '@skyfolio/kit'
import { type UploadLimits, uploadFormats } from '@skyfolio/proto'
import { Type } from 'typebox'

const INTEGER = Type.Integer()

const PublicConfig = Type.Object({
  limits: Type.Object({
    filesPerUpload: INTEGER,
    fileBytes: INTEGER,
    largeFileBytes: Type.Integer({ description: 'For formats that may be larger' }),
    metadataFileBytes: Type.Integer({ description: 'For files of the metadata screen' }),
    minWidth: INTEGER,
    minHeight: INTEGER,
    maxPixels: INTEGER,
  }),
  formats: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Common name' }),
      mediaType: Type.String(),
      extensions: Type.Array(Type.String(), { description: 'With leading dot' }),
      maxBytes: INTEGER,
    }),
    { description: 'Accepted upload formats' },
  ),
})

/** The part of the configuration that pages show. */
export function configRoute(app: App, limits: UploadLimits): void {
  app.get(
    '/api/config',
    {
      config: { access: 'public', allowsVisitors: true },
      schema: { summary: 'Returns the limits that the pages show', response: { 200: PublicConfig, '4xx': ErrorBody } },
    },
    (_request, reply) => {
      reply.header('cache-control', 'no-cache')
      return { limits, formats: uploadFormats(limits) }
    },
  )
}
