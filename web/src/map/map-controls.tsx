import { Layers, Maximize, Minus, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { IconButton } from '../components/ui/button.tsx'
import { ConfirmDialog } from '../components/ui/confirm-dialog.tsx'
import { Menu, MenuItem } from '../components/ui/menu.tsx'
import type { Area } from '../lib/geography.ts'
import { useStore } from '../lib/store.ts'
import { agreedHost, agreeToHost, hostOf } from './background-choice.ts'
import { fit, useExternal, useMap } from './map-surface.tsx'

const GROUP = 'flex flex-col overflow-hidden rounded-md bg-surface shadow-high ring ring-line'
const BUTTON = 'rounded-none bg-surface pointer-coarse:size-11'

/** Zoom in, zoom out, and all photos again. */
export function ZoomControls({ all, closest }: { all?: Area | null; closest?: number }) {
  const map = useMap()
  const button = { className: BUTTON }
  return (
    <div className={`absolute top-2 left-2 z-10 ${GROUP}`}>
      <IconButton {...button} label="Zoom in on the map" icon={<Plus />} onClick={() => map.zoomIn()} />
      <IconButton {...button} label="Zoom out of the map" icon={<Minus />} onClick={() => map.zoomOut()} />
      {all && (
        <IconButton {...button} label="Show all photos" icon={<Maximize />} onClick={() => fit(map, all, closest)} />
      )}
    </div>
  )
}

/** The buttons at the right of the map, one below the other, and the choice of the background where there is one. */
export function MapTools({ children }: { children?: ReactNode }) {
  const external = useExternal()
  if (!children && !external) return null
  return (
    <div className={`absolute top-2 right-2 z-10 ${GROUP}`}>
      {children}
      {external && <BackgroundMenu host={hostOf(external.url)} />}
    </div>
  )
}

/** A tool that stays on, or is off. */
export function MapTool({ on, ...button }: { label: string; icon: ReactNode; on: boolean; onClick: () => void }) {
  const className = `${BUTTON} aria-pressed:bg-accent-soft aria-pressed:text-accent`
  return <IconButton {...button} aria-pressed={on} className={className} />
}

function BackgroundMenu({ host }: { host: string }) {
  const isChosen = useStore(agreedHost) === host
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Menu trigger={<IconButton label="Background" icon={<Layers />} className={BUTTON} />}>
        <MenuItem checked={!isChosen} onSelect={() => agreeToHost(null)}>
          Simple map
        </MenuItem>
        <MenuItem checked={isChosen} hint={`From ${host}`} onSelect={() => !isChosen && setAsking(true)}>
          Detailed map
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Load the map from another server?"
        description={`${host} will see your IP address and which part of the map you look at, but neither your photos nor your account. This browser remembers the choice.`}
        confirmLabel="Load the map"
        onConfirm={() => {
          setAsking(false)
          agreeToHost(host)
        }}
      />
    </>
  )
}
