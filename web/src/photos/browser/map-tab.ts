import { useSearchParams } from 'react-router-dom'

const PARAM = 'view'
const MAP = 'map'

/** Whether the URL asks for the map instead of the grid. */
export function isMapTab(search: URLSearchParams): boolean {
  return search.get(PARAM) === MAP
}

export function useMapTab(): boolean {
  return isMapTab(useSearchParams()[0])
}

/** The parameters of the URL for the map or the grid; the filters are kept. */
export function withMapTab(search: URLSearchParams, isMap: boolean): URLSearchParams {
  const result = new URLSearchParams(search)
  if (isMap) result.set(PARAM, MAP)
  else result.delete(PARAM)
  return result
}
