export default function SharePage() {
  return <h1 className="gutters py-8 text-3xl font-semibold">Share</h1>
}
