import { readFile } from 'node:fs/promises'
import { dronePhoto, packagedPhotos, samplePhotos } from '@skyfolio/testkit'

interface UploadFile {
  name: string
  mimeType: string
  buffer: Buffer
}

/** Positions and times of the three photographs of the Brighton Beach data set. */
const POSITIONS = [
  { latitude: 46.842607, longitude: -91.99456, takenAt: '2016:06:23 16:31:59' },
  { latitude: 46.842865, longitude: -91.994177, takenAt: '2016:06:23 16:32:20' },
  { latitude: 46.842865, longitude: -91.993697, takenAt: '2016:06:23 16:32:43' },
]

/** Three DJI photographs if the sample data is present, otherwise three packaged ones with the same positions. */
export async function threeDronePhotos(): Promise<UploadFile[]> {
  const drone = samplePhotos()?.drone ?? []
  const buffers =
    drone.length >= 3
      ? await Promise.all(drone.slice(0, 3).map((path) => readFile(path)))
      : await Promise.all(
          POSITIONS.map((place, index) =>
            dronePhoto({ ...place, base: packagedPhotos()[index], make: 'DJI', model: 'FC300S' }),
          ),
        )
  return buffers.map((buffer, index) => ({ name: `flight-${index + 1}.jpg`, mimeType: 'image/jpeg', buffer }))
}
