import { encodeQR } from 'qr'
import { useMemo } from 'react'

/** An address as a QR code. One path, not a rectangle for each module: invitations print a thousand of them. */
export function QrPicture({ address, className }: { address: string; className: string }) {
  const { size, path } = useMemo(() => {
    const modules = encodeQR(address, 'raw', { ecc: 'medium', border: 4 })
    const dark = modules.flatMap((row, y) => row.map((on, x) => (on ? `M${x} ${y}h1v1h-1z` : '')))
    return { size: modules.length, path: dark.join('') }
  }, [address])
  return (
    <svg
      role="img"
      aria-label={`QR code of ${address}`}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className={className}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
