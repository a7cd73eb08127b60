import type { Folder } from '../../api/types.ts'
import { ErrorState } from '../../components/ui/empty-state.tsx'
import { UNREACHABLE } from '../../lib/http.ts'
import { lazyModule } from '../../lib/lazy-module.ts'
import { useLazyModule } from '../../lib/use-lazy-module.ts'
import { RankingsSkeleton } from './rankings-skeleton.tsx'

const tab = lazyModule(() => import('./rankings-tab.tsx'))

/** The standings of a folder, loaded when they are shown. */
export function LazyRankingsTab({ folder }: { folder: Folder }) {
  const { loaded, failed, retry } = useLazyModule(tab)
  if (failed) return <ErrorState title="Rankings could not be loaded" description={UNREACHABLE} onRetry={retry} />
  return loaded ? <loaded.RankingsTab folder={folder} /> : <RankingsSkeleton />
}
