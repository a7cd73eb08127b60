import { useQuery } from '@tanstack/react-query'
import { legalQuery } from '../api/queries.ts'
import { QueryFailure } from '../components/ui/empty-state.tsx'
import { Skeleton } from '../components/ui/loading.tsx'
import { usePageTitle } from '../lib/routing.ts'

const TITLES = { terms: 'Terms of Use', privacy: 'Privacy Policy' }

export default function LegalPage({ document }: { document: keyof typeof TITLES }) {
  const { data, error, refetch } = useQuery(legalQuery(document))
  const title = data?.title ?? TITLES[document]
  usePageTitle(title)
  if (error) return <QueryFailure query={{ error, refetch }} heading="h1" title="The page could not be loaded" />
  return (
    <article className="page pt-7">
      <h1 className="mb-8 text-2xl font-bold sm:text-3xl">{title}</h1>
      {data ? (
        sectionsOf(data.text).map((section) => <LegalSection key={section.heading + section.text} {...section} />)
      ) : (
        <Skeleton className="h-96 rounded-md" />
      )}
    </article>
  )
}

/** Its heading beside the text, where there is room. */
function LegalSection({ heading, text }: Section) {
  return (
    <section className="border-t border-line py-6 lg:grid lg:grid-cols-[18rem_minmax(0,1fr)] lg:gap-8">
      {heading && <h2 className="mb-2 text-lg font-semibold wrap-anywhere">{heading}</h2>}
      <div className="max-w-[65ch] text-base/7 text-pretty whitespace-pre-line wrap-anywhere lg:col-start-2">
        {text}
      </div>
    </section>
  )
}

interface Section {
  /** Empty for what precedes the first one. */
  heading: string
  /** Its paragraphs, with an empty line between two. */
  text: string
}

const LONGEST_HEADING = 60
/** Neither the end of a sentence, an item of a list, nor an email address. */
const HEADING = /^[^-*•\s][^@]*[^.!?:;,@]$/u

/**
 * The sections of a plain text whose empty lines separate paragraphs. A short line without the end of a sentence begins a section, alone
 * or above a paragraph; not the first line of a sentence that was broken into lines.
 */
export function sectionsOf(text: string): Section[] {
  const sections: Section[] = []
  for (const block of text.trim().split(/\n\s*\n/)) {
    const [first = '', next = '', ...others] = block.split('\n')
    const isHeading = first.length <= LONGEST_HEADING && HEADING.test(first) && !/^\p{Ll}/u.test(next)
    const last = sections.at(-1)
    if (isHeading) sections.push({ heading: first, text: [next, ...others].join('\n') })
    else if (last) last.text = [last.text, block].filter(Boolean).join('\n\n')
    else sections.push({ heading: '', text: block })
  }
  return sections
}
