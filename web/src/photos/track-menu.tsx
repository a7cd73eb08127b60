import { Download } from 'lucide-react'
import { TRACK_FORMATS, trackPath } from '../api/flights.ts'
import { Button } from '../components/ui/button.tsx'
import { Menu, MenuItem } from '../components/ui/menu.tsx'

interface TrackMenuProps {
  label: string
  /** Which photos: the filters of a list, as its URL has them. */
  filter: URLSearchParams
  /** Of the file, without its extension; null: the server chooses one. */
  name: string | null
}

/** Offers the positions of photos as a file. */
export function TrackMenu({ label, filter, name }: TrackMenuProps) {
  return (
    <Menu
      trigger={
        <Button>
          <Download aria-hidden /> {label}
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
