import { createHash } from 'node:crypto'
import { isUnavailable } from '../process/unavailable.ts'
import { S3Error, type S3Send } from './s3-request.ts'

const NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'

/** A day longer than the longest upload session, so that the sweep is first. */
const EXPIRY_DAYS = 8
const RULE_ID = 'skyfolio-incomplete-uploads'
const RULE =
  `<Rule><ID>${RULE_ID}</ID><Status>Enabled</Status><Filter><Prefix></Prefix></Filter><AbortIncompleteMultipartUpload>` +
  `<DaysAfterInitiation>${EXPIRY_DAYS}</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule>`
const OWN_RULE = new RegExp(`<Rule>(?:(?!</Rule>).)*<ID>${RULE_ID}</ID>.*?</Rule>`, 's')

const CORS_ID = 'skyfolio-pages'
const OWN_CORS = new RegExp(`<CORSRule>(?:(?!</CORSRule>).)*<ID>${CORS_ID}</ID>.*?</CORSRule>`, 's')

/** Called with what the store did not let us do. */
type Warn = (what: string, error?: unknown) => void

/**
 * Requests that the store aborts incomplete uploads after eight days. Rules of the bucket's operator are not changed; ours
 * of an earlier release is replaced. A store without such rules rejects this: there only the sweep removes them, and MinIO
 * by itself, after `MINIO_API_STALE_UPLOADS_EXPIRY`.
 */
export async function requestUploadExpiry(send: S3Send, warn: Warn): Promise<void> {
  const onRejection = (error: unknown) => {
    if (hasCode(error, 'AccessDenied')) warn('the bucket gets no rule that ends incomplete uploads', error)
  }
  const lifecycle = { part: 'lifecycle', element: 'LifecycleConfiguration', own: OWN_RULE }
  await ifPossible(onRejection, () => keepRule(send, lifecycle, RULE, `>${EXPIRY_DAYS}<`))
}

/**
 * Lets pages of the origin send parts, where the bucket says nothing of other origins; our rule of another origin is replaced.
 * Stores that are configured as a whole (MinIO) reject this.
 */
export async function requestCors(send: S3Send, origin: string, warn: Warn): Promise<void> {
  const onRejection = (error: unknown) => {
    if (!hasCode(error, 'NotImplemented')) warn('the bucket gets no rule that lets pages send parts to it', error)
  }
  const rule =
    `<CORSRule><ID>${CORS_ID}</ID><AllowedOrigin>${origin}</AllowedOrigin><AllowedMethod>PUT</AllowedMethod>` +
    '<AllowedHeader>x-amz-checksum-sha256</AllowedHeader><ExposeHeader>ETag</ExposeHeader>' +
    '<MaxAgeSeconds>3600</MaxAgeSeconds></CORSRule>'
  const cors = { part: 'cors', element: 'CORSConfiguration', own: OWN_CORS }
  await ifPossible(onRejection, () => keepRule(send, cors, rule, `>${origin}<`))
}

/** Sets our rule where the bucket has no rules, and replaces our own where it does not contain `current`. */
async function keepRule(
  send: S3Send,
  { part, element, own }: { part: string; element: string; own: RegExp },
  rule: string,
  current: string,
): Promise<void> {
  const rules = await configurationOf(send, part, `NoSuch${element}`)
  if (rules === null) {
    await configure(send, part, `<${element} ${NAMESPACE}>${rule}</${element}>`)
    return
  }
  const wanted = rules.replace(own, (found) => (found.includes(current) ? found : rule))
  if (wanted !== rules) await configure(send, part, wanted)
}

/** Whatever the store rejects is left as it is. One without such rules may not even know where they are. */
async function ifPossible(onRejection: (error: unknown) => void, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (isUnavailable(error) && !(error instanceof S3Error && error.status === 404)) throw error
    onRejection(error)
  }
}

const hasCode = (error: unknown, code: string) => error instanceof S3Error && error.code === code

/** The XML of a part of the bucket's configuration; null when it has none. */
async function configurationOf(send: S3Send, part: string, codeOfNone: string): Promise<string | null> {
  try {
    return (await send({ method: 'GET', query: { [part]: '' } })).content
  } catch (error) {
    if (hasCode(error, codeOfNone)) return null
    throw error
  }
}

async function configure(send: S3Send, part: string, content: string): Promise<void> {
  const headers = {
    'content-length': String(Buffer.byteLength(content)),
    'content-md5': createHash('md5').update(content).digest('base64'),
  }
  await send({ method: 'PUT', query: { [part]: '' }, headers }, Buffer.from(content))
}
