export default function HomePage() {
  return <h1 className="gutters py-8 text-3xl font-semibold">Drone Photo Manager</h1>
}
