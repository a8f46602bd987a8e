// nextflow run main.nf, or with a profile for a cluster
params.parts = 3
params.study = 'study.toml'

process PART {
    cpus 4
    errorStrategy 'retry'
    maxRetries 3

    input:
    tuple val(part), path(study)

    output:
    path "part-${part}"

    script:
    """
    holdfast study ${study} --part ${part}/${params.parts} --out part-${part} --n-jobs ${task.cpus}
    """
}

process MERGE {
    publishDir 'results', mode: 'copy'

    input:
    path parts

    output:
    path 'whole'

    script:
    """
    holdfast merge ${parts} --out whole
    """
}

workflow {
    numbers = Channel.of(1..params.parts)
    MERGE(PART(numbers.combine(Channel.fromPath(params.study))).collect())
}
