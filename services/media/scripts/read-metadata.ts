import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Format, UPLOAD_FORMATS } from '@skyfolio/proto'
import { bufferSource } from '../src/formats/byte-source.ts'
import { extractTags } from '../src/metadata/extract-tags.ts'
import { readFacts } from '../src/metadata/facts.ts'
import type { FileMetadata, MetadataReader } from '../src/metadata/metadata-reader.ts'

/** The format of a file by its name; null for one that is not accepted. */
export function formatOfFile(name: string): Format | null {
  const extension = (extname(name) || name).toLowerCase()
  const formats = Object.keys(UPLOAD_FORMATS) as Format[]
  return formats.find((format) => UPLOAD_FORMATS[format].extensions.includes(extension)) ?? null
}

/** Reads the metadata of a local file as the worker reads that of an original. */
export async function readFileMetadata(reader: MetadataReader, path: string): Promise<FileMetadata> {
  const format = formatOfFile(path)
  const tags = format && (await extractTags(bufferSource(await readFile(path)), format))
  return tags ? reader.readAll(tags) : { facts: readFacts({}), groups: {} }
}
