import type { Scene } from './scene.ts'
import { cityBlocks } from './scenes/city-blocks.ts'
import { beach, reef, surf } from './scenes/coasts.ts'
import { containerPort } from './scenes/container-port.ts'
import { golf } from './scenes/golf.ts'
import { harbour } from './scenes/harbour.ts'
import { hedgerows } from './scenes/hedgerows.ts'
import { interchange } from './scenes/interchange.ts'
import { lavender } from './scenes/lavender.ts'
import { marina } from './scenes/marina.ts'
import { alpineLake, canyon, crater, dunes, glacier } from './scenes/mountains.ts'
import { orchard } from './scenes/orchard.ts'
import { pivots } from './scenes/pivots.ts'
import { railwayYard } from './scenes/railways.ts'
import { braided, ice, meander } from './scenes/rivers.ts'
import { saltPans } from './scenes/salt-pans.ts'
import { solarFarm } from './scenes/solar-farm.ts'
import { stadium } from './scenes/stadium.ts'
import { terraces } from './scenes/terraces.ts'
import { tulips } from './scenes/tulips.ts'
import { village } from './scenes/village.ts'
import { vineyard } from './scenes/vineyard.ts'
import { autumn, snowForest } from './scenes/woods.ts'

/** A picture of the demo, with a real place of its kind. */
export interface Flight {
  title: string
  scene: Scene
  latitude: number
  longitude: number
  /** Of the ground, in metres above sea level. */
  ground: number
  /** Of the drone above the ground, in metres. */
  above: number
  /** Camera time, as EXIF writes it. */
  takenAt: string
  model: string
}

/** A flight as one line of the table below. */
type Row = [
  title: string,
  scene: Scene,
  latitude: number,
  longitude: number,
  ground: number,
  above: number,
  takenAt: string,
  model: string,
]

const MAVIC = 'FC3582'
const AIR = 'FC8284'
const PHANTOM = 'FC6310'

const ROWS: readonly Row[] = [
  ['Turquoise below the ridge', alpineLake, 46.4181, 11.6942, 1520, 96, '2025:06:21 18:42:10', MAVIC],
  ['Long lines of surf', surf, -34.0379, 23.0471, 4, 88, '2025:02:11 09:12:44', AIR],
  ['Tulip fields in April', tulips, 52.2694, 4.5568, 0, 74, '2025:04:19 11:03:27', MAVIC],
  ['Two moles, one entrance', harbour, 43.4833, -3.7847, 3, 110, '2024:09:14 18:20:05', PHANTOM],
  ['River bend in the rainforest', meander, -3.1046, -64.7781, 42, 118, '2024:11:02 08:36:51', AIR],
  ['Autumn road', autumn, 44.0995, -71.4548, 560, 92, '2024:10:08 15:24:33', MAVIC],
  ['Lagoon islands', reef, -16.5108, -151.7421, 1, 119, '2025:03:05 10:48:19', MAVIC],
  ['Blocks and courtyards', cityBlocks, 41.3936, 2.1649, 31, 115, '2025:05:17 17:31:02', AIR],
  ['Evening in the dunes', dunes, 31.1499, -4.0138, 720, 70, '2024:12:27 17:02:40', MAVIC],
  ['Harvest of salt', saltPans, 43.5286, 4.1783, 1, 102, '2025:07:30 12:15:58', PHANTOM],
  ['Vineyard hills', vineyard, 44.6109, 7.9423, 240, 84, '2024:10:03 17:50:12', AIR],
  ['Parasols, row by row', beach, 43.5451, 10.2978, 2, 65, '2025:08:02 10:22:36', MAVIC],
  ['Arms of meltwater', braided, 63.5457, -20.0853, 28, 116, '2024:08:19 20:14:09', PHANTOM],
  ['After the first snow', snowForest, 66.4982, 25.7209, 140, 90, '2024:12:05 11:38:47', MAVIC],
  ['Pivot circles', pivots, 37.5842, -100.9471, 870, 120, '2025:07:12 13:05:21', AIR],
  ['Motorway clover leaf', interchange, 50.8871, 6.9022, 55, 117, '2025:05:28 14:44:18', PHANTOM],
  ['River in the canyon', canyon, 38.4389, -109.9161, 1650, 105, '2024:05:23 18:33:54', MAVIC],
  ['Yachts at rest', marina, 43.5462, 7.0163, 2, 78, '2025:06:08 16:12:30', AIR],
  ['Rice terraces', terraces, 16.9342, 121.1357, 1180, 98, '2025:01:23 09:27:15', MAVIC],
  ['Fields and hedges', hedgerows, 50.5412, -3.8937, 150, 108, '2025:08:24 18:58:03', PHANTOM],
  ['Crevasses and moraine', glacier, 46.4462, 8.0524, 2450, 100, '2024:09:01 12:40:26', MAVIC],
  ['Crater lake', crater, -8.0583, 114.2421, 2340, 119, '2024:07:16 06:52:11', AIR],
  ['Links with a pond', golf, 56.3424, -2.8028, 8, 86, '2025:05:31 20:05:49', AIR],
  ['Lavender at sunset', lavender, 43.8321, 6.0714, 590, 62, '2025:07:06 20:31:17', MAVIC],
  ['Marshalling yard', railwayYard, 53.4012, 10.0381, 12, 95, '2024:10:18 08:45:22', PHANTOM],
  ['Ice with cracks', ice, 53.2089, 107.3452, 456, 60, '2025:02:24 14:10:38', MAVIC],
  ['Village around its church', village, 48.1669, 7.2969, 290, 106, '2025:05:03 18:14:55', AIR],
  ['Container terminal', containerPort, 51.9531, 4.0279, 5, 112, '2024:06:29 12:02:08', PHANTOM],
  ['Orchard in blossom', orchard, 53.5218, 9.7746, 1, 58, '2025:04:27 17:20:44', MAVIC],
  ['Solar farm', solarFarm, 37.4411, -6.2497, 40, 104, '2025:03:29 12:55:13', AIR],
  ['Running track and pitch', stadium, 59.3453, 18.0791, 30, 82, '2025:06:14 19:08:31', PHANTOM],
]

export const FLIGHTS: readonly Flight[] = ROWS.map(
  ([title, scene, latitude, longitude, ground, above, takenAt, model]) => ({
    title,
    scene,
    latitude,
    longitude,
    ground,
    above,
    takenAt,
    model,
  }),
)
