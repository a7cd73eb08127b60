import { Layers, Maximize, Minus, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { lazyComponent } from '../components/lazy.tsx'
import { IconButton } from '../components/ui/button.tsx'
import { ConfirmDialog } from '../components/ui/confirm-dialog.tsx'
import { Menu, MenuItem, MenuSeparator } from '../components/ui/menu.tsx'
import { toast } from '../components/ui/toast.tsx'
import type { Area } from '../lib/geography.ts'
import { UNREACHABLE } from '../lib/http.ts'
import type { GroundPicturesProps } from './ground/ground-pictures.tsx'
import {
  hostOf,
  layerToShow,
  type MapLayer,
  mayLoad,
  NO_CHOICE,
  useLayerChoice,
  useMapLayers,
  withLayer,
} from './map-layers.ts'
import { fit, useMap } from './map-surface.tsx'

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

/** The buttons at the right of the map, one below the other, and the choice of the layer where there is one. */
export function MapTools({ children }: { children?: ReactNode }) {
  const hasLayers = useMapLayers().length > 0
  if (!children && !hasLayers) return null
  return (
    <div className={`absolute top-2 right-2 z-10 ${GROUP}`}>
      {children}
      {hasLayers && <LayerMenu />}
    </div>
  )
}

/** A tool that stays on, or is off. */
export function MapTool({ on, ...button }: { label: string; icon: ReactNode; on: boolean; onClick: () => void }) {
  const className = `${BUTTON} aria-pressed:bg-accent-soft aria-pressed:text-accent`
  return <IconButton {...button} aria-pressed={on} className={className} />
}

/** The own map or a layer of another server. Each host is asked for once. */
function LayerMenu() {
  const layers = useMapLayers()
  const [choice, choose] = useLayerChoice()
  const [asked, setAsked] = useState<MapLayer | null>(null)
  const [asking, setAsking] = useState(false)
  if (!choice) return null
  const { mapHosts } = choice
  const shown = layerToShow(layers, choice)
  const show = (layer: MapLayer) => choose(withLayer(layers, choice, layer))

  const select = (layer: MapLayer) => {
    if (mayLoad(layer, choice)) return show(layer)
    setAsked(layer)
    setAsking(true)
  }

  return (
    <>
      <Menu trigger={<IconButton label="Map layers" icon={<Layers />} className={BUTTON} />}>
        <MenuItem checked={!shown} onSelect={() => choose({ mapLayer: null, mapHosts })}>
          Skyfolio map
        </MenuItem>
        {layers.map((layer) => (
          <MenuItem
            key={layer.name}
            checked={layer === shown}
            hint={`From ${hostOf(layer)}`}
            onSelect={() => select(layer)}
          >
            {layer.name}
          </MenuItem>
        ))}
        {mapHosts.length > 0 && (
          <>
            <MenuSeparator />
            <MenuItem hint={`To load maps from ${mapHosts.join(', ')}`} onSelect={() => choose(NO_CHOICE)}>
              Withdraw consent
            </MenuItem>
          </>
        )}
      </Menu>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Load the map from another server?"
        description={`${asked && hostOf(asked)} will see your IP address and which part of the map you look at, but neither your photos nor your account. You are asked once for this server, and can withdraw your consent in the same menu.`}
        confirmLabel="Load the map"
        onConfirm={() => {
          setAsking(false)
          if (asked) show(asked)
        }}
      />
    </>
  )
}

/** The pictures on the ground; their code is loaded when they are switched on. */
export const GroundPictures = lazyComponent<GroundPicturesProps>(
  () => import('./ground/ground-pictures.tsx').then((code) => code.GroundPictures),
  {
    onFailure: ({ onFailure }) => {
      onFailure()
      toast({ title: 'The photos on the ground could not be loaded', description: UNREACHABLE, tone: 'danger' })
    },
  },
)
