/** The package's own types name files without their extensions, which TypeScript does not resolve in this project. */
declare module 's2-pmtiles' {
  export enum TileType {
    Pbf = 1,
  }
  export enum Compression {
    Gzip = 2,
  }
  export class BufferWriter {
    commit(): Uint8Array
  }
  export class S2PMTilesWriter {
    constructor(writer: BufferWriter, type: TileType, compression: Compression)
    /** @param data not compressed yet */
    writeTileXYZ(zoom: number, x: number, y: number, data: Uint8Array): Promise<void>
    commit(metadata: { attribution: string }): Promise<void>
  }
}
