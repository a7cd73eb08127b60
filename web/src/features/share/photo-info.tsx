import { Calendar, HardDrive, MapPin, Maximize2 } from 'lucide-react'
import type { PublicPhoto } from '../../api/types.ts'
import { formatBytes, formatCameraDate } from '../../lib/format.ts'
import { formatDimensions, formatOf } from '../../photos/photo-facts.ts'
import { Fact, FactList } from '../../photos/viewer/fact-list.tsx'
import { PhotoLocation } from '../../photos/viewer/photo-location.tsx'

/** Where and when a public photo was taken, and its file. */
export function PhotoInfo({ photo }: { photo: PublicPhoto }) {
  return (
    <FactList>
      <Fact icon={<MapPin />} label="Location">
        <PhotoLocation photo={photo} />
      </Fact>
      <Fact icon={<Calendar />} label="Date Taken">
        {formatCameraDate(photo.dateTaken)}
      </Fact>
      <Fact icon={<HardDrive />} label="File info">
        {formatOf(photo)} · {formatBytes(photo.filesize)}
      </Fact>
      <Fact icon={<Maximize2 />} label="Dimensions">
        {formatDimensions(photo, null)}
      </Fact>
    </FactList>
  )
}
