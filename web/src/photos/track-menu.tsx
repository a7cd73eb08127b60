import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { TRACK_FORMATS, trackPath } from '../api/flights.ts'
import type { PhotoFilter } from '../api/types.ts'
import { Button } from '../components/ui/button.tsx'
import { Menu, MenuItem } from '../components/ui/menu.tsx'

interface TrackMenuProps {
  label: string
  filter: PhotoFilter
  /** Of the file, without extension; null: the server chooses one. */
  name: string | null
  /** Further items. */
  children?: ReactNode
}

/** Offers the positions of photos as a file. */
export function TrackMenu({ label, filter, name, children }: TrackMenuProps) {
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
      {children}
    </Menu>
  )
}
