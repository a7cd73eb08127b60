import { ApiError, parseErrorBody } from '../../../lib/http.ts'
import type { PartToSend } from '../queue/deps.ts'
import { ERROR_TEXTS, URL_EXPIRED } from '../queue/failure.ts'

/** A connection can break silently: so long without progress is a failure. A busy server answers a part after 30 seconds. */
const STALL_TIMEOUT_MS = 45_000
/** What the browser calls sent may still be in buffers of the device and of proxies. */
const RESPONSE_TIMEOUT_MS = 5 * 60_000
/** The object store's codes for bytes that do not have the announced hash. */
const DIGEST_ERRORS = /<Code>(BadDigest|XAmzContentChecksumMismatch|XAmzContentSHA256Mismatch)</
/** Its code for an upload that has ended. */
const UNKNOWN_UPLOAD = 'NoSuchUpload'

/** XMLHttpRequest, because fetch does not report the bytes it has sent. */
export function sendPart(part: PartToSend, onProgress: (sent: number) => void, signal: AbortSignal): Promise<void> {
  const { session, number, body, signed } = part
  const headers = signed?.headers ?? { 'content-type': 'application/octet-stream' }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const noResponse = () => end(new ApiError(0, 'no response', null))
    let watchdog = setTimeout(noResponse, STALL_TIMEOUT_MS)

    function end(error: ApiError | null): void {
      clearTimeout(watchdog)
      signal.removeEventListener('abort', noResponse)
      if (error === null) {
        resolve()
        return
      }
      reject(error)
      request.abort()
    }
    request.upload.onprogress = ({ loaded, total }) => {
      clearTimeout(watchdog)
      watchdog = setTimeout(noResponse, loaded < total ? STALL_TIMEOUT_MS : RESPONSE_TIMEOUT_MS)
      onProgress(loaded)
    }
    request.onerror = noResponse
    request.onload = () => end(signed ? storeError(request) : gatewayError(request))
    signal.addEventListener('abort', noResponse)
    request.open('PUT', signed?.url ?? `/api/upload-sessions/${session}/parts/${number}`)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.send(body)
  })
}

function gatewayError(response: XMLHttpRequest): ApiError | null {
  const { status, responseText } = response
  if (status >= 200 && status < 300) return null
  const retryAfter = Math.max(0, Number(response.getResponseHeader('retry-after')) || 0)
  return new ApiError(status, responseText, parseErrorBody(responseText), retryAfter)
}

/** Translates what an object store, or a proxy before it, says; the body is XML or any text. */
export function storeError({ status, responseText }: Pick<XMLHttpRequest, 'status' | 'responseText'>): ApiError | null {
  if (status >= 200 && status < 300) return null
  if (DIGEST_ERRORS.test(responseText)) return new ApiError(422, responseText, null)
  if (responseText.includes(`<Code>${UNKNOWN_UPLOAD}<`)) {
    return new ApiError(404, responseText, { code: UNKNOWN_UPLOAD, message: ERROR_TEXTS.other })
  }
  // A full store (507), too: soon the part goes through the gateway, which says it in a sentence.
  if (status === 404 || status >= 500) return new ApiError(503, responseText, null)
  // Most often it has expired; if new ones are rejected too, the part goes through the gateway.
  return new ApiError(status, responseText, { code: URL_EXPIRED, message: responseText })
}
