// SPDX-License-Identifier: Apache-2.0
// Starts the page that the data are for.

async function drawPage() {
  const charted = { run: () => drawRun(data.run), lesson: () => drawLesson(data.lesson), study: () => [() => drawStudy(data.study)], results: () => drawResults(data.results) }[data.kind]();
  document.getElementById('foot').append(`Made by ecube ${data.version}. Charts: Apache ECharts, Apache License 2.0. This file needs no network.`);
  // What needs no charts, the replay above all, is on the screen before ECharts is read.
  await painted();
  if (charted.length > 0) await loadCharts();
  let rested = performance.now();
  for (const draw of charted) {
    draw();
    if (performance.now() - rested < 40) continue;  // a replay that plays meanwhile goes on
    await painted();
    rested = performance.now();
  }
  document.documentElement.dataset.ready = 'yes';
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}
drawPage();
