import { fractal, hash, hills, ridges, smoothstep } from '../noise.ts'
import { plantConifer, type Scene, scatter, vary } from '../scene.ts'
import { rgb } from '../surface.ts'

const SNOW = rgb('#f2f5fa')

/** A turquoise lake below snowy ridges. */
export const alpineLake: Scene = {
  size: [2400, 2100],
  sun: { side: -0.9, height: 38, warmth: 0.4 },
  tilt: { height: 1050, horizon: 0.05, haze: 6200 },
  build(surface, random) {
    const crest = ridges(random, 2400)
    const rock = fractal(random, 800)
    const detail = fractal(random, 240)
    const level = 60
    const heightAt = (x: number, y: number) => {
      const bowl = Math.hypot((x - 1200) / 800, (y - 1400) / 430)
      const rise = smoothstep(0.8, 2.3, bowl + (rock(x, y) - 0.5) * 0.4) * smoothstep(1900, 1250, y)
      return (
        rise * (140 + crest(x, y) ** 1.5 * 560) + rock(x, y) * 70 * Math.min(1, bowl) + bowl * 40 + detail(x, y) * 7
      )
    }
    surface.paint((x, y, point) => {
      const height = heightAt(x, y)
      if (height < level + 34) {
        const depth = level + 34 - height
        point.set(rgb('#8fd0c4'))
        point.blend(rgb('#2c93a3'), smoothstep(2, 22, depth))
        point.blend(rgb('#125a78'), smoothstep(16, 56, depth))
        point.elevation = level + 34 + detail(x * 2, y * 2) * 2
        point.water = 0.7
        return
      }
      point.elevation = height
      point.set(rgb('#6f7f4a'))
      point.blend(rgb('#4c6138'), smoothstep(0.45, 0.6, rock(y, x)))
      point.blend(rgb('#8d867d'), smoothstep(200, 330, height + (rock(x * 2, y * 2) - 0.5) * 190))
      point.brighten(0.8 + 0.4 * detail(x * 2, y * 2))
      point.blend(SNOW, smoothstep(330, 450, height + (rock(x * 3, y * 3) - 0.5) * 330))
    })
    scatter(surface, random, 19, (x, y) => {
      const height = heightAt(x, y)
      if (height < level + 44 || height > 260 || rock(y, x) < 0.5) return
      plantConifer(surface, x, y, 6 + random() * 5, vary(rgb('#2d4a30'), random, 0.25))
    })
  },
}

/** Ice with crevasses beside a moraine. */
export const glacier: Scene = {
  sun: { side: -0.8, height: 34, warmth: 0.1 },
  build(surface, random) {
    const flow = fractal(random, 2200)
    const cracks = ridges(random, 900)
    const detail = fractal(random, 300)
    const dirt = fractal(random, 1000)
    surface.paint((x, y, point) => {
      const along = x * 0.5 + y * 0.86 + (flow(x, y) - 0.5) * 700
      const across = x * 0.86 - y * 0.5 + (flow(y, x) - 0.5) * 300
      const crevasse = smoothstep(0.55, 0.93, Math.abs(Math.sin(along / 31 + cracks(x, y) * 6)))
      const open = crevasse * smoothstep(0.36, 0.6, flow(x * 1.4, y * 1.4))
      point.set(rgb('#dfeaf0'))
      point.blend(rgb('#9fc7da'), smoothstep(0.4, 0.75, detail(x, y)) * 0.6)
      point.blend(rgb('#2f7ea6'), open * 0.9)
      const band = smoothstep(0.72, 0.97, Math.sin(across / 210 + dirt(x, y) * 2.2))
      point.blend(rgb('#6a6661'), band * (0.45 + 0.5 * detail(x * 3, y * 3)))
      const moraine = smoothstep(560, 700, across + (dirt(x, y) - 0.5) * 160)
      point.blend(rgb('#7b756d'), moraine)
      point.brighten(0.92 + 0.16 * detail(x * 4, y * 4) * (1 + moraine))
      point.elevation = 40 - open * 26 + band * 7 + detail(x, y) * 10 + moraine * detail(x * 2, y * 2) * 8
    })
  },
}

/** Red walls in steps above a green river. */
export const canyon: Scene = {
  size: [2600, 2100],
  sun: { side: -0.8, height: 40, warmth: 0.8 },
  tilt: { height: 1150, horizon: 0.06, haze: 7000 },
  build(surface, random) {
    const warp = fractal(random, 2300)
    const gully = ridges(random, 1000)
    const detail = fractal(random, 260)
    const strata = ['#b5653c', '#c98352', '#9c5030', '#d7a878', '#b06a44', '#8f4a31', '#cf9462'].map(rgb)
    surface.paint((x, y, point) => {
      const middle = 1300 + Math.sin(y / 330) * 330 + (warp(x, y) - 0.5) * 500
      const distance = Math.abs(x - middle)
      const raw = smoothstep(40, 900, distance - gully(x, y) * 330 + (detail(x, y) - 0.5) * 60) * 9
      const step = Math.floor(raw)
      const level = step + smoothstep(0.62, 0.98, raw - step)
      point.elevation = level * 62 + detail(x, y) * 6 + gully(x * 2, y * 2) * 4
      if (distance < 62 + detail(x, y) * 24 && raw < 0.5) {
        point.set(rgb('#3f6f5c'))
        point.elevation = 0
        point.water = 0.7
        return
      }
      const layer = Math.floor(point.elevation / 23)
      point.set(strata[Math.floor(hash(layer, 3, 1) * strata.length)] as (typeof strata)[number])
      point.blend(rgb('#c79a6b'), smoothstep(0.7, 0.2, raw - step) * 0.5)
      point.blend(rgb('#7c7a4a'), smoothstep(0.55, 0.7, detail(x * 3, y * 3)) * smoothstep(0.5, 0.1, raw - step) * 0.8)
      point.brighten(0.85 + detail(x * 3, y * 3) * 0.3)
    })
  },
}

/** A crater with a lake of acid colour, and lava fields around. */
export const crater: Scene = {
  size: [2600, 2100],
  sun: { side: 0.8, height: 50, warmth: 0.5 },
  tilt: { height: 1700, horizon: -0.5, haze: 9000 },
  build(surface, random) {
    const warp = fractal(random, 1500)
    const gully = ridges(random, 700)
    const detail = fractal(random, 220)
    surface.paint((x, y, point) => {
      const dx = x - 1300
      const dy = y - 1180
      const distance = Math.hypot(dx, dy) + (warp(x, y) - 0.5) * 210
      const angle = Math.atan2(dy, dx)
      const rib = gully(Math.cos(angle) * 900 + distance * 0.12, Math.sin(angle) * 900 + distance * 0.12)
      const cone = 430 * smoothstep(1350, 560, distance) - rib * 95 * smoothstep(480, 700, distance)
      const bowl = 400 * smoothstep(590, 290, distance)
      point.elevation = cone - bowl + detail(x, y) * 8
      point.set(rgb('#4d4543'))
      point.blend(rgb('#84523d'), smoothstep(0.4, 0.62, warp(y, x)))
      point.blend(rgb('#b98a5c'), smoothstep(620, 520, distance) * smoothstep(300, 420, distance) * 0.8)
      point.blend(rgb('#d9c56b'), smoothstep(0.55, 0.75, detail(x, y)) * smoothstep(480, 340, distance) * 0.8)
      point.blend(rgb('#66713f'), smoothstep(950, 1300, distance) * smoothstep(0.4, 0.6, gully(x, y)))
      point.brighten(0.82 + 0.36 * detail(x * 3, y * 3))
      if (distance > 318) return
      point.set(rgb('#b8e0c2'))
      point.blend(rgb('#3fb6ad'), smoothstep(312, 260, distance))
      point.blend(rgb('#239a9d'), smoothstep(240, 90, distance))
      point.elevation = 26
      point.water = 0.6
    })
  },
}

/** Sand dunes with knife-edge crests in low light. */
export const dunes: Scene = {
  size: [2600, 2200],
  sun: { side: -0.9, height: 24, warmth: 1 },
  tilt: {
    height: 760,
    horizon: 0.16,
    haze: 6000,
    sky: { zenith: rgb('#6d9fd0'), horizon: rgb('#ead9c2'), clouds: 0.15 },
  },
  build(surface, random) {
    const warp = hills(random, 3400)
    const size = hills(random, 2400)
    const ripple = fractal(random, 500)
    surface.paint((x, y, point) => {
      const phase = (x * 0.8 + y * 0.45 + (warp(x, y) - 0.5) * 1300) / 330
      const place = phase - Math.floor(phase)
      const profile = place < 0.68 ? smoothstep(0, 0.74, place) : 1 - smoothstep(0.66, 1, place)
      const tall = 30 + smoothstep(0.25, 0.75, size(x, y)) * 150
      const ripples = Math.sin(y / 4.5 + x / 14 + ripple(x, y) * 16) * 0.55
      point.elevation = profile * tall + ripples + size(y, x) * 160
      point.set(rgb('#d9995c'))
      point.blend(rgb('#e8b577'), profile)
      point.blend(rgb('#b9713f'), smoothstep(0.5, 0.8, ripple(y, x)) * 0.35)
    })
  },
}
