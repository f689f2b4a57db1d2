/** The cycles of a graph, each as the path that leads back to its start; one per back edge that a walk meets. */
export const cycles = (edges: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const found: Array<ReadonlyArray<string>> = []
  const finished = new Set<string>()
  const walk = (node: string, trail: ReadonlyArray<string>): void => {
    const start = trail.indexOf(node)
    if (start !== -1) return void found.push([...trail.slice(start), node])
    if (finished.has(node)) return
    for (const next of edges.get(node) ?? []) walk(next, [...trail, node])
    finished.add(node)
  }
  for (const node of edges.keys()) walk(node, [])
  return found
}
