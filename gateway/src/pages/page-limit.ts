import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Limits } from '../limits/limits.ts'
import { escapeHtml } from './escape-html.ts'

/** Checks the limit of pages and files. Who opens a page reads a sentence in place of JSON. @throws 429 */
export function checkPageLimit(request: FastifyRequest, reply: FastifyReply, limits: Limits): void {
  try {
    limits.checkPage(request)
  } catch (error) {
    if (request.headers.accept?.includes('text/html')) sendErrorAsPage(reply)
    throw error
  }
}

function sendErrorAsPage(reply: FastifyReply): void {
  reply.serializer((body: { message: string }) => {
    // Fastify removes the type that is set before an error.
    reply.type('text/html; charset=utf-8')
    return renderSentence(body.message)
  })
}

function renderSentence(sentence: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Skyfolio</title>
<p>${escapeHtml(sentence)}</p>
</html>
`
}
