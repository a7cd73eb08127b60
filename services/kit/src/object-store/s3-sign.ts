import aws4 from 'aws4'
import { checkKey } from './key.ts'

export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
  /** Of temporary ones. */
  sessionToken?: string
}

/** A server as somebody reaches it, with one of its buckets. */
export interface S3Target {
  endpoint: URL
  region: string
  bucket: string
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** None: the bucket. */
  key?: string
  query: Record<string, string>
  headers?: Record<string, string>
}

/**
 * The path and query of the request with a signature, which covers the method, the host, the path, the query and each of its
 * headers. Of the body it covers what the headers say: `content-length` and `x-amz-checksum-sha256`.
 */
export function signPath(target: S3Target, credentials: S3Credentials, request: S3Request, seconds: number): string {
  if (request.key !== undefined) checkKey(request.key)
  const resource = [target.bucket, request.key].filter((name) => name !== undefined).join('/')
  const query = new URLSearchParams({ ...request.query, 'X-Amz-Expires': String(seconds) })
  const { path } = aws4.sign(
    {
      service: 's3',
      region: target.region,
      signQuery: true,
      method: request.method,
      path: `/${resource}?${query}`,
      headers: { ...request.headers, host: target.endpoint.host },
    },
    credentials,
  )
  return path as string
}

/** The request that stores a part. Its signature fits only this upload, number, length and content. */
export function partRequest(
  { key, uploadId }: { key: string; uploadId: string },
  { number, bytes, sha256 }: { number: number; bytes: number; sha256: Buffer },
): S3Request & { headers: Record<string, string> } {
  return {
    method: 'PUT',
    key,
    query: { partNumber: String(number), uploadId },
    headers: { 'content-length': String(bytes), 'x-amz-checksum-sha256': sha256.toString('base64') },
  }
}
