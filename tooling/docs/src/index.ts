export { drift, generators, regenerate, type GeneratorName } from './generated.ts';
export { importedRooms, roomImports, type RoomImport } from './imports.ts';
export { insideLayers, layers, levelOf, mayImport, sideways } from './layers.ts';
export { planBlocks, planExamples, planProblems, type PlanExample } from './plan-examples.ts';
export { renderPicture } from './picture.ts';
export { undocumented } from './undocumented.ts';
export { root, workspacePackages, sources, type WorkspacePackage } from './workspace-packages.ts';
