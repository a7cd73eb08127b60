import { readFile } from 'node:fs/promises'
import { type App, ErrorBody } from '@skyfolio/kit'
import { Type } from 'typebox'

export interface LegalText {
  title: string
  /** Plain text; empty lines separate paragraphs, and a short line above one is its heading. */
  text: string
}

export type LegalTexts = Record<'terms' | 'privacy', LegalText>

const DEFAULT_TERMS = `These terms apply to the use of this service. The operator of this installation can replace them with its own.

Your photos
Your photos remain yours. You upload only photos that you may use, and you decide which folders others can open by their link. You can delete your photos at any time.

Voting
Visitors of a shared folder can rank its photos. Votes made by scripts may be excluded.

Prints
You order prints from the photo service of a retail pharmacy, which makes them, sets their prices and hands them over in the store that you choose. An order is placed when you submit it. You pay when you pick the prints up. Prices, discounts and the time of the pickup are those that are shown when you submit the order. You order only prints of photos that you may have printed.

Availability
The service is provided as it is. The operator keeps its data with care, and recommends that you keep copies of your originals.`

const DEFAULT_PRIVACY = `This page says which data this service keeps. The operator of this installation can replace it with its own.

Account
Your username, your password as a hash, and the name and e-mail address if you gave them. Visitors of your public folders read your display name, if you entered one. One cookie keeps you signed in. Another one says for a year that you have signed in with this browser, so that nobody's wrong guesses keep you out.

Photos
Your photos with the data that they contain, such as date, camera and position, and the names of places found for positions. Others see only photos in folders that you made public.

Votes
Visitors who vote are told apart by a random identifier of their browser and by their network address. Of both only keyed hashes are kept.

Protection
The network address of whoever sends far more requests than people do is noted in the operator's log.

Prints
For an order your first name, last name, e-mail address and phone number, the names of the prints and the files to be printed are passed on to the photo service of the pharmacy. They are kept with the order until your account is deleted. Your details are remembered for the next order only if you ask for it, and you can erase them there. Files made for printing are deleted after some weeks.

Deletion
Deleted photos and folders are removed from the service. Deleting an account deletes everything that belongs to it.`

interface LegalFiles {
  termsFile?: string | undefined
  privacyFile?: string | undefined
}

/** The texts of the pages /terms and /privacy: the configured files, or neutral defaults. */
export async function readLegalTexts({ termsFile, privacyFile }: LegalFiles): Promise<LegalTexts> {
  const read = async (path: string | undefined, text: string) => (path ? (await readFile(path, 'utf8')).trim() : text)
  return {
    terms: { title: 'Terms of Use', text: await read(termsFile, DEFAULT_TERMS) },
    privacy: { title: 'Privacy Policy', text: await read(privacyFile, DEFAULT_PRIVACY) },
  }
}

const LegalDocument = Type.Object({
  title: Type.String(),
  text: Type.String({
    description: 'Plain text; empty lines separate paragraphs, and a short line above one is its heading',
  }),
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
