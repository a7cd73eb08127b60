import { PhotoImage } from '../../components/photo-image.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { prerenderedFolder } from '../../lib/served-page.ts'
import { PUBLIC_GRID, publicColumns } from './public-layout.ts'

const CARDS = [0, 1, 2, 3, 4, 5]

/** The skeleton of the photos, with the pictures of the first row that the server rendered. */
export function PublicGridSkeleton() {
  const pictures = prerenderedFolder()?.pictures.slice(0, publicColumns(innerWidth)) ?? []
  return (
    <div data-loads className={`${PUBLIC_GRID} pt-7`}>
      {CARDS.map((card) => {
        const picture = pictures[card]
        return (
          <div key={card}>
            {picture ? (
              <PhotoImage {...picture} thumbhash={null} eager="first" />
            ) : (
              <Skeleton className="aspect-3/2 rounded-lg" />
            )}
            <Skeleton className="mt-3 h-5 w-40" />
          </div>
        )
      })}
    </div>
  )
}
