import { useQuery } from '@tanstack/react-query'
import { activeUserQuery, configQuery, settingsQuery } from '../api/queries.ts'
import { useSaveSettings } from '../api/settings.ts'
import type { AccountSettings, AppConfig } from '../api/types.ts'
import { toastFailure } from '../components/ui/toast.tsx'
import { remember, rememberedValue } from '../lib/remember.ts'
import { createStore, useStore } from '../lib/store.ts'

/** Tiles of another server. */
export type MapLayer = AppConfig['map']['layers'][number]
/** The name of the layer that maps show, null for the own map, and the hosts that the user has agreed to contact. */
type LayerChoice = Pick<AccountSettings, 'mapLayer' | 'mapHosts'>

export const NO_CHOICE: LayerChoice = { mapLayer: null, mapHosts: [] }

/** The layers that the operator has set up. */
export function useMapLayers(): readonly MapLayer[] {
  return useQuery(configQuery).data?.map.layers ?? []
}

const KEY = 'map-background'
const visitorsChoice = createStore(parseChoice(rememberedValue(KEY)))

/**
 * What the user has chosen, by account, and a visitor in this browser; null until the server has told it, since no host is contacted
 * on a guess. The function changes it.
 */
export function useLayerChoice(): [LayerChoice | null, (choice: LayerChoice) => void] {
  const { data: user } = useQuery(activeUserQuery)
  const { data: settings } = useQuery({ ...settingsQuery, enabled: Boolean(user) })
  const visitors = useStore(visitorsChoice)
  const save = useSaveSettings((error, retry) => toastFailure('The choice of the map was not saved', error, retry))
  if (user === null) return [visitors, keepInBrowser]
  // Only a consent that changes is sent: another device may have withdrawn one that this page still knows.
  const choose = ({ mapLayer, mapHosts }: LayerChoice) =>
    save.mutate({ mapLayer, ...(settings && isSame(settings.mapHosts, mapHosts) ? {} : { mapHosts }) })
  return [(user && settings) ?? null, choose]
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((host) => others.includes(host))
}

function keepInBrowser(choice: LayerChoice): void {
  visitorsChoice.set(choice)
  remember(KEY, JSON.stringify(choice))
}

/** Reads a remembered choice; none where the value is no choice. */
export function parseChoice(value: unknown): LayerChoice {
  if (typeof value !== 'object' || value === null) return NO_CHOICE
  const { mapLayer, mapHosts } = value as Record<string, unknown>
  if (!Array.isArray(mapHosts)) return NO_CHOICE
  return {
    mapLayer: typeof mapLayer === 'string' ? mapLayer : null,
    mapHosts: mapHosts.filter((host) => typeof host === 'string'),
  }
}

/** The chosen layer if the user has agreed to its host: the operator may have given its name to another one. Null: the own map. */
export function layerToShow(layers: readonly MapLayer[], choice: LayerChoice | null): MapLayer | null {
  return layers.find((layer) => layer.name === choice?.mapLayer && mayLoad(layer, choice)) ?? null
}

export function mayLoad(layer: MapLayer, { mapHosts }: LayerChoice): boolean {
  return mapHosts.includes(hostOf(layer))
}

/** The choice of a layer to whose host the user has agreed. Hosts that the operator has taken away are forgotten. */
export function withLayer(layers: readonly MapLayer[], { mapHosts }: LayerChoice, layer: MapLayer): LayerChoice {
  const agreed = layers.map(hostOf).filter((host) => mapHosts.includes(host) || host === hostOf(layer))
  return { mapLayer: layer.name, mapHosts: [...new Set(agreed)] }
}

/** 'tiles.example.org'. */
export function hostOf({ url }: Pick<MapLayer, 'url'>): string {
  return new URL(url).host
}
