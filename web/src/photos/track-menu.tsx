import { Download } from 'lucide-react'
import { TRACK_FORMATS, trackPath } from '../api/flights.ts'
import type { PhotoFilter } from '../api/types.ts'
import { Button } from '../components/ui/button.tsx'
import { Menu, MenuItem } from '../components/ui/menu.tsx'

/** Offers the positions of photos as a file of this name, without extension; null: the server chooses one. */
export function TrackMenu({ label, filter, name }: { label: string; filter: PhotoFilter; name: string | null }) {
  return (
    <Menu
      trigger={
        <Button>
          <Download aria-hidden /> <span>{label}</span>
        </Button>
      }
    >
      {TRACK_FORMATS.map(({ format, label, hint }) => (
        <MenuItem
          key={format}
          hint={hint}
          download={{ href: trackPath(format, filter, name), name: name === null ? '' : `${name}.${format}` }}
        >
          {label}
        </MenuItem>
      ))}
    </Menu>
  )
}
