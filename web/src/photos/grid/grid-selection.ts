/** The selection of a grid, provided by its screen. */
export interface GridSelection {
  /** In select mode a click selects instead of opening. */
  active: boolean
  has(id: number): boolean
  /** Selects the photo or takes it out of the selection. */
  toggle(id: number, index: number): void
  /** Selects everything between the start of the range and this index. */
  extendTo(index: number): void
  /** The keyboard or the mouse has moved on: the next range starts here. */
  moveTo(index: number): void
  all(): void
  clear(): void
  /** Asks for confirmation to delete the selected photos. */
  remove(): void
}
