import { type App, ErrorBody, Nullable } from '@skyfolio/kit'
import { UPLOAD_PARTS, type UploadLimits, uploadFormats } from '@skyfolio/proto'
import { Type } from 'typebox'
import type { FeatureStatus } from '../feature-status.ts'
import type { MapLayer } from '../map-layers.ts'

const INTEGER = Type.Integer()
const DEGREES = Type.Number()

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
  uploads: Type.Object(
    {
      partBytes: Type.Integer({ description: 'Recommended size of parts' }),
      minPartBytes: INTEGER,
      maxPartBytes: INTEGER,
      direct: Type.Boolean({
        description: 'Whether the object store is published: then an upload session may have URLs for parts',
      }),
    },
    { description: 'Upload sessions' },
  ),
  printing: Type.Object({
    available: Type.Boolean({ description: 'Whether prints can be ordered now' }),
    sandbox: Type.Boolean({ description: "Whether orders go to the partner's sandbox, where nothing is printed" }),
  }),
  mail: Type.Object({ available: Type.Boolean({ description: 'Whether the installation can send mail' }) }),
  map: Type.Object({
    base: Nullable(
      Type.String({ description: 'Path of the tiles of the base map: add `/{z}/{x}/{y}`; null: not available now' }),
    ),
    minZoom: INTEGER,
    maxZoom: Type.Integer({ description: 'Of the tiles of the whole world' }),
    detail: Nullable(
      Type.Object(
        { maxZoom: INTEGER, west: DEGREES, south: DEGREES, east: DEGREES, north: DEGREES },
        { description: 'The part of the world with deeper tiles, to this zoom' },
      ),
    ),
    attribution: Type.String({ description: 'Credit that a map with the tiles of the base map must show' }),
    layers: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Unique' }),
        url: Type.String({ description: 'With {z}, {x} and {y}, of tiles that are 256 pixels wide' }),
        attribution: Type.String(),
        maxZoom: INTEGER,
      }),
      { description: 'Tiles of other servers: a page must ask before it contacts one of them' },
    ),
  }),
  accounts: Type.Object({
    deletionDays: Type.Integer({ description: 'Days in which the deletion of an account can be revoked; 0: at once' }),
  }),
})

export interface ConfigDeps {
  uploadLimits: UploadLimits
  publicStoreOrigin: string | null
  mapLayers: MapLayer[]
  accountDeletionDays: number
  features: FeatureStatus
}

/** The part of the configuration that pages show, and what is available. */
export function configRoute(
  app: App,
  { uploadLimits, publicStoreOrigin, mapLayers, accountDeletionDays, features }: ConfigDeps,
): void {
  app.get(
    '/api/config',
    {
      config: { access: 'public', allowsVisitors: true, whileDeleting: true },
      schema: {
        summary: 'Returns the limits and switches that the pages show',
        response: { 200: PublicConfig, '4xx': ErrorBody },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-cache')
      const [printing, mail, baseMap] = await Promise.all([features.printing(), features.mail(), features.baseMap()])
      const accounts = { deletionDays: accountDeletionDays }
      const uploads = {
        partBytes: UPLOAD_PARTS.defaultBytes,
        minPartBytes: UPLOAD_PARTS.minBytes,
        maxPartBytes: UPLOAD_PARTS.maxBytes,
        direct: publicStoreOrigin !== null,
      }
      const map = {
        base: baseMap && `/api/map/base/${baseMap.version}`,
        minZoom: 0,
        maxZoom: baseMap?.maxZoom ?? 0,
        detail: baseMap?.detail ?? null,
        attribution: baseMap?.attribution ?? '',
        layers: mapLayers,
      }
      return { limits: uploadLimits, formats: uploadFormats(uploadLimits), uploads, printing, mail, map, accounts }
    },
  )
}
