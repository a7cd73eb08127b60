import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { Images, Map as MapIcon } from 'lucide-react'
import { type ReactNode, type Ref, useState } from 'react'
import type { PublicPhoto } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { PublicMap } from './lazy-public-map.tsx'
import { PublicGrid, type PublicGridHandle } from './public-grid.tsx'

interface PublicPhotosProps {
  shareCode: string
  photos: PublicPhoto[]
  /** The owner allows a map. */
  showMap: boolean
  /** Height of the content under each picture, in pixels. */
  captionHeight: number
  grid: Ref<PublicGridHandle>
  /** A photo of the map was chosen. */
  onOpen: (photo: PublicPhoto) => void
  className?: string
  /** Renders one photo's card. */
  children: (photo: PublicPhoto, inFirstRow: boolean) => ReactNode
}

/** The photos of a public folder, as pictures or on a map. */
export function PublicPhotos(props: PublicPhotosProps) {
  const { shareCode, photos, showMap, captionHeight, grid, onOpen, className = '', children } = props
  const [wantsMap, setWantsMap] = useState(false)
  const hasMap = showMap && photos.some(({ latitude }) => latitude !== null)
  const isMap = hasMap && wantsMap
  return (
    <>
      <h2 className="sr-only">Photos</h2>
      {hasMap && (
        <div className="flex justify-end pt-5">
          <Button onClick={() => setWantsMap(!isMap)}>
            {isMap ? <Images aria-hidden /> : <MapIcon aria-hidden />}
            {isMap ? 'Show pictures' : 'Show map'}
          </Button>
        </div>
      )}
      <div className={`pt-7 ${className}`}>
        {isMap ? (
          <PublicMap shareCode={shareCode} photos={photos} onOpen={onOpen} />
        ) : (
          <PublicGrid ref={grid} photos={photos} captionHeight={captionHeight}>
            {children}
          </PublicGrid>
        )}
      </div>
    </>
  )
}

/** A rejected picture may mean a withdrawn link: checks at once. Many rejections cause one request. */
export function useRevalidate(queryKey: QueryKey): () => void {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey }, { cancelRefetch: false })
}
