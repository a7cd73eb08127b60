import { useQuery } from '@tanstack/react-query'
import { openApiQuery } from '../api/open-api.ts'
import { QueryFailure } from '../components/ui/empty-state.tsx'
import { Skeleton } from '../components/ui/loading.tsx'
import { ApiDocs } from '../features/api-docs/api-docs.tsx'
import { usePageTitle } from '../lib/routing.ts'

/** All public routes, for those who script against them. */
export default function ApiDocsPage() {
  const { data, error, refetch } = useQuery(openApiQuery)
  usePageTitle('API')
  if (error && !data) {
    return <QueryFailure query={{ error, refetch }} heading="h1" title="The page could not be loaded" />
  }
  return (
    <div className="page pt-7">
      <h1 className="mb-3 text-2xl font-bold sm:text-3xl">{data?.info.title ?? 'API'}</h1>
      {data ? <ApiDocs document={data} /> : <Skeleton className="h-96 rounded-md" />}
    </div>
  )
}
