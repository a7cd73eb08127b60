export const DEFAULTS = {
  host: '127.0.0.1',
  /** Of the partner API; 0 takes a free one. */
  port: 0,
  /** Of control API and page; 0 takes a free one. */
  controlPort: 0,
  /** The only origin that images are fetched from. */
  imageOrigin: undefined as string | undefined,
  apiKey: 'sandbox-key',
  affiliateId: 'sandbox-affiliate',
  latency: 'off' as 'off' | 'realistic',
  dataFile: undefined as string | undefined,
  /** What page and control API require; undefined: nothing. */
  controlKey: undefined as string | undefined,
}
export type SandboxSettings = typeof DEFAULTS
