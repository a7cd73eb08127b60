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
    <article className="gutters mx-auto max-w-[76ch] pt-7">
      <h1 className="text-2xl font-bold sm:text-3xl">{title}</h1>
      {data ? (
        <div className="mt-4 text-pretty whitespace-pre-line wrap-anywhere">{data.text}</div>
      ) : (
        <Skeleton className="mt-4 h-96 rounded-md" />
      )}
    </article>
  )
}
