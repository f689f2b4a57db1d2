import { Layer } from "effect"
import { EnrolledSites } from "./EnrolledSites.ts"
import { EnrolledSitesRepository } from "./EnrolledSitesRepository.ts"

export const layer = EnrolledSites.layer.pipe(Layer.provide(EnrolledSitesRepository.layer))
