import { Images, Map as MapIcon } from 'lucide-react'
import type { PublicPhoto } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'

/** Whether visitors are offered a map: the owner allows it, and there is something to show. */
export function isMapOffered(showMap: boolean | undefined, photos: readonly PublicPhoto[]): boolean {
  return showMap === true && photos.some(({ latitude }) => latitude !== null)
}

/** Shows the photos of a public folder on a map, or as pictures again. */
export function MapSwitch({ isMap, onChange }: { isMap: boolean; onChange: (isMap: boolean) => void }) {
  return (
    <div className="flex justify-end pt-5">
      <Button onClick={() => onChange(!isMap)}>
        {isMap ? <Images aria-hidden /> : <MapIcon aria-hidden />}
        {isMap ? 'Show pictures' : 'Show map'}
      </Button>
    </div>
  )
}
