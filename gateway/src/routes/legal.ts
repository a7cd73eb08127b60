import { type App, ErrorBody } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { LegalTexts } from '../pages/legal-texts.ts'

const LegalDocument = Type.Object({
  title: Type.String(),
  text: Type.String({ description: 'Plain text; empty lines separate paragraphs' }),
})

const SUMMARIES = { terms: 'Returns the terms of use', privacy: 'Returns the privacy policy' }

/** The texts that people accept when they order prints. */
export function legalRoutes(app: App, texts: LegalTexts): void {
  for (const name of ['terms', 'privacy'] as const) {
    app.get(
      `/api/legal/${name}`,
      {
        config: { access: 'public', allowsVisitors: true },
        schema: { summary: SUMMARIES[name], response: { 200: LegalDocument, '4xx': ErrorBody } },
      },
      (_request, reply) => {
        reply.header('cache-control', 'no-cache')
        return texts[name]
      },
    )
  }
}
